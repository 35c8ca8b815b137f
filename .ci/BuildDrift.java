import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/**
 * Fails when the Maven and the Gradle build differ in modules, dependencies, scopes or versions.
 *
 * <p>Run from the project's root as {@code java .ci/BuildDrift.java}. Each build is reduced to a set of facts, one line of text
 * each, and the two sets must be equal. A line of a Gradle file that is not understood is a failure too, so that nothing slips
 * by unread. Annotation processors of the parent pom (Error Prone, NullAway) are Maven's alone and are not compared.
 */
final class BuildDrift {

  private static final String ALL = "every module";
  private static final String MANAGED = "managed by the BOM";
  private static final Map<String, String> SCOPES =
      Map.of(
          "api", "compile",
          "implementation", "compile",
          "runtimeOnly", "runtime",
          "compileOnly", "provided",
          "optional", "optional",
          "testImplementation", "test",
          "testRuntimeOnly", "test",
          "annotationProcessor", "processor");

  public static void main(String[] args) throws Exception {
    Path root = Path.of(args.length == 0 ? "." : args[0]);
    SortedSet<String> maven = new Maven(root).facts();
    SortedSet<String> gradle = new Gradle(root).facts();
    List<String> differences = new ArrayList<>();
    maven.stream().filter(fact -> !gradle.contains(fact)).forEach(fact -> differences.add("only in Maven:  " + fact));
    gradle.stream().filter(fact -> !maven.contains(fact)).forEach(fact -> differences.add("only in Gradle: " + fact));
    if (differences.isEmpty()) {
      System.out.println("Maven and Gradle agree on " + maven.size() + " facts");
      return;
    }
    System.err.println("Maven and Gradle differ:");
    differences.forEach(difference -> System.err.println("  " + difference));
    System.exit(1);
  }

  private static String dependency(String module, String scope, String coordinates, String version) {
    return module + ": " + scope + " " + coordinates + ", " + version;
  }

  /** What the pom.xml files say. */
  private static final class Maven {
    private final SortedSet<String> facts = new TreeSet<>();
    private final Map<String, String> properties = new HashMap<>();
    private final Map<String, String> managed = new HashMap<>();
    private final Path root;

    Maven(Path root) {
      this.root = root;
    }

    SortedSet<String> facts() throws Exception {
      Element parent = parse(root.resolve("pom.xml"));
      properties.put("project.version", text(parent, "version"));
      children(parent, "properties").flatMap(BuildDrift::children)
          .forEach(property -> properties.put(property.getTagName(), property.getTextContent().strip()));
      facts.add("group " + text(parent, "groupId"));
      facts.add("version " + text(parent, "version"));
      facts.add("Java release " + properties.get("maven.compiler.release"));
      facts.add("javac " + properties.get("javac.lint"));

      List<String> modules = at(parent, "modules", "module").map(module -> module.getTextContent().strip()).toList();
      for (Element entry : at(parent, "dependencyManagement", "dependencies", "dependency").toList()) {
        String version = resolve(text(entry, "version"));
        if (text(entry, "scope").equals("import")) {
          modules.forEach(module -> facts.add(dependency(module, "bom", coordinates(entry), version)));
        } else {
          managed.put(coordinates(entry), version);
        }
      }
      dependencies(ALL, parent);
      for (String module : modules) {
        facts.add("module " + module);
        Element pom = parse(root.resolve(module).resolve("pom.xml"));
        dependencies(module, pom);
        descendants(pom, "annotationProcessorPaths").flatMap(paths -> children(paths, "path"))
            .forEach(path -> facts.add(dependency(module, "processor", coordinates(path), resolve(text(path, "version")))));
      }
      return facts;
    }

    private void dependencies(String module, Element pom) {
      at(pom, "dependencies", "dependency").forEach(entry -> {
        String scope = text(entry, "scope").isEmpty() ? "compile" : text(entry, "scope");
        String version = text(entry, "version");
        facts.add(
            dependency(
                module,
                text(entry, "optional").equals("true") ? "optional" : scope,
                coordinates(entry),
                version.isEmpty() ? managed.getOrDefault(coordinates(entry), MANAGED) : resolve(version)));
      });
      at(pom, "profiles", "profile", "dependencies", "dependency")
          .forEach(entry -> facts.add(module + ": a profile's " + coordinates(entry) + ", which cannot be compared"));
    }

    private String resolve(String version) {
      Matcher reference = Pattern.compile("\\$\\{(.+)}").matcher(version);
      return reference.matches() ? properties.getOrDefault(reference.group(1), version) : version;
    }

    private static String coordinates(Element entry) {
      String suffix = text(entry, "type").equals("test-jar") ? " (tests)" : "";
      return text(entry, "groupId") + ":" + text(entry, "artifactId") + suffix;
    }

    private static Element parse(Path file) throws Exception {
      return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    }
  }

  /** What the build.gradle.kts files, settings.gradle.kts and libs.versions.toml say. */
  private static final class Gradle {
    private static final Pattern VERSION = Pattern.compile("([\\w-]+) = \"([^\"]+)\"");
    private static final Pattern LIBRARY =
        Pattern.compile("([\\w-]+) = \\{ module = \"([^\"]+)\"(?:, version\\.ref = \"([\\w-]+)\")? }");
    private static final Pattern DEPENDENCY =
        Pattern.compile("\"?(\\w+)\"?\\((?:libs\\.([\\w.]+)|project\\(\":([\\w-]+)\"(, \"testJar\")?\\))\\)");
    private static final Pattern BOM = Pattern.compile("\"?(?:api|implementation)\"?\\(platform\\(libs\\.([\\w.]+)\\)\\)");

    private final SortedSet<String> facts = new TreeSet<>();
    private final Map<String, String> coordinates = new HashMap<>();
    private final Map<String, String> versions = new HashMap<>();
    private final Path root;

    Gradle(Path root) {
      this.root = root;
    }

    SortedSet<String> facts() throws IOException {
      String build = Files.readString(root.resolve("build.gradle.kts"));
      String group = first(build, "group = \"([^\"]+)\"");
      String version = first(build, "version = \"([^\"]+)\"");
      facts.add("group " + group);
      facts.add("version " + version);
      facts.add("Java release " + first(build, "options\\.release = (\\d+)"));
      facts.add("javac " + first(build, "\"(-Xlint:[^\"$]+)"));

      catalog(Files.readAllLines(root.resolve("gradle/libs.versions.toml")));
      dependencies(ALL, build, group, version);
      Matcher include =
          Pattern.compile("include\\(\"([^\"]+)\"\\)").matcher(Files.readString(root.resolve("settings.gradle.kts")));
      while (include.find()) {
        String module = include.group(1);
        facts.add("module " + module);
        dependencies(module, Files.readString(root.resolve(module).resolve("build.gradle.kts")), group, version);
      }
      return facts;
    }

    private void catalog(List<String> lines) {
      Map<String, String> named = new HashMap<>();
      for (String line : lines) {
        Matcher version = VERSION.matcher(line);
        Matcher library = LIBRARY.matcher(line);
        if (version.matches()) {
          named.put(version.group(1), version.group(2));
        } else if (library.matches()) {
          String alias = library.group(1).replace('-', '.');
          coordinates.put(alias, library.group(2));
          versions.put(alias, library.group(3) == null ? MANAGED : named.get(library.group(3)));
        } else if (!line.isBlank() && !line.startsWith("#") && !line.matches("\\[(versions|libraries)]")) {
          facts.add("a line of libs.versions.toml that is not understood: " + line);
        }
      }
    }

    private void dependencies(String module, String build, String group, String projectVersion) {
      Matcher block = Pattern.compile("^ *dependencies \\{\\n(.*?)^ *}", Pattern.MULTILINE | Pattern.DOTALL).matcher(build);
      while (block.find()) {
        block.group(1).lines().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("//")).forEach(line -> {
          Matcher bom = BOM.matcher(line);
          Matcher entry = DEPENDENCY.matcher(line);
          if (bom.matches()) {
            facts.add(dependency(module, "bom", coordinates.get(bom.group(1)), versions.get(bom.group(1))));
          } else if (entry.matches() && SCOPES.containsKey(entry.group(1))) {
            boolean own = entry.group(3) != null;
            facts.add(
                dependency(
                    module,
                    SCOPES.get(entry.group(1)),
                    own ? group + ":" + entry.group(3) + (entry.group(4) == null ? "" : " (tests)") : coordinates.get(entry.group(2)),
                    own ? projectVersion : versions.get(entry.group(2))));
          } else {
            facts.add(module + ": a dependency that is not understood: " + line);
          }
        });
      }
    }

    private static String first(String text, String pattern) {
      Matcher matcher = Pattern.compile(pattern).matcher(text);
      return matcher.find() ? matcher.group(1) : "missing";
    }
  }

  private static Stream<Element> children(Element parent) {
    List<Element> elements = new ArrayList<>();
    for (var node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element) {
        elements.add(element);
      }
    }
    return elements.stream();
  }

  private static Stream<Element> children(Element parent, String name) {
    return children(parent).filter(element -> element.getTagName().equals(name));
  }

  private static Stream<Element> at(Element from, String... path) {
    Stream<Element> found = Stream.of(from);
    for (String name : path) {
      found = found.flatMap(element -> children(element, name));
    }
    return found;
  }

  private static Stream<Element> descendants(Element from, String name) {
    return children(from)
        .flatMap(child -> Stream.concat(child.getTagName().equals(name) ? Stream.of(child) : Stream.empty(), descendants(child, name)));
  }

  private static String text(Element parent, String name) {
    return children(parent, name).map(element -> element.getTextContent().strip()).findFirst().orElse("");
  }
}
