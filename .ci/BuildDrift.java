import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/**
 * Fails when the Maven and the Gradle build differ in modules, dependencies, scopes, versions, compiler options or main classes.
 *
 * <p>Run from the project's root as {@code java .ci/BuildDrift.java}. Each build is reduced to a set of facts, one line of text
 * each, and the two sets must be equal. What is neither compared nor listed here as a matter of one build alone is a fact too,
 * which the other build lacks, so that nothing slips by unread.
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

  /** What the parent pom may say, as path=value. The compiler plugin's executions (Error Prone, NullAway) are Maven's alone. */
  private static final Set<String> PARENT =
      Set.of(
          "(modelVersion|groupId|artifactId|version|packaging|name|description|licenses/license/.*|modules/module)=.*",
          "properties/(maven.compiler.release|project.build.[^.]*|[^.]*.version|javac.lint)=.*",
          "dependencies/dependency/((groupId|artifactId|version|scope)=.*|type=test-jar|optional=true)",
          "dependencyManagement/dependencies/dependency/((groupId|artifactId|version|type)=.*|scope=import)",
          "build/(pluginManagement/)?plugins/plugin/(groupId|artifactId|version)=.*",
          "build/pluginManagement/plugins/plugin/configuration/(parameters|compilerArgs/arg)=.*",
          "build/pluginManagement/plugins/plugin/configuration/(showWarnings|trimStackTrace|executable|skip)=.*",
          "build/pluginManagement/plugins/plugin/executions/execution/(id=default-(c|testC)ompile|configuration/proc=none)",
          "build/pluginManagement/plugins/plugin/executions/execution/configuration/(compilerArgs/arg|annotationProcessorPaths/.*)=.*",
          "profiles/profile/(id|activation/jdk|properties/javac.lint)=.*");

  /** What the pom of a module may say. */
  private static final Set<String> MODULE =
      Set.of(
          "(modelVersion|parent/groupId|parent/artifactId|parent/version|artifactId|name|description)=.*",
          "properties/(benchmark.args=|maven.(deploy|install).skip=true)",
          "dependencies/dependency/((groupId|artifactId|version|scope)=.*|type=test-jar|optional=true)",
          "build/plugins/plugin/(groupId=.*|artifactId=(maven-jar|maven-compiler|exec-maven|spring-boot-maven)-plugin)",
          "build/plugins/plugin/configuration/(skip=false|classpathScope=runtime|(mainClass|commandlineArgs)=.*)",
          "build/plugins/plugin/executions/execution/(id=(test-jar|default-compile)|goals/goal=(test-jar|repackage))",
          "build/plugins/plugin/executions/execution/configuration/annotationProcessorPaths/.*");

  /** Lines of the Gradle files that have no counterpart in a pom. */
  private static final Set<String> GRADLE_ALONE =
      """
      subprojects {
      plugins.withType<JavaPlugin> {
      val optional = configurations.dependencyScope("optional").get()
      configurations.named("compileOnly") { extendsFrom(optional) }
      configurations.named("testImplementation") { extendsFrom(optional) }
      tasks.withType<JavaCompile>().configureEach {
      options.compilerArgs.addAll(
      tasks.withType<Test>().configureEach {
      useJUnitPlatform()
      plugins.withId("maven-publish") {
      extensions.configure<PublishingExtension> {
      publications.create<MavenPublication>("library") { from(components["java"]) }
      rootProject.name = "stoplight-parent"
      dependencyResolutionManagement {
      repositories {
      mavenCentral()
      plugins {
      `java-library`
      application
      dependencies {
      application {
      val testJar = tasks.register<Jar>("testJar") {
      archiveClassifier = "tests"
      from(sourceSets.test.get().output)
      configurations.consumable("testJar")
      artifacts.add("testJar", testJar)
      tasks.compileJava {
      inputs.files(tasks.processResources)
      tasks.named<JavaExec>("run") {
      systemProperty("stoplight.benchmarks.output", layout.buildDirectory.dir("benchmarks").get().asFile.path)
      )
      }
      """.lines().collect(Collectors.toSet());

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
    private static final Pattern CLASS = Pattern.compile("(\\w+\\.)+[A-Z]\\w*");

    private final SortedSet<String> facts = new TreeSet<>();
    private final Map<String, String> properties = new HashMap<>();
    private final Map<String, String> boms = new HashMap<>();
    private final Map<String, String> managed = new HashMap<>();
    private final Set<String> used = new HashSet<>();
    private final Path root;

    Maven(Path root) {
      this.root = root;
    }

    SortedSet<String> facts() throws Exception {
      Element parent = parse(root.resolve("pom.xml"));
      properties.put("project.version", text(parent, "version"));
      at(parent, "properties").flatMap(BuildDrift::children).forEach(property -> properties.put(property.getTagName(), text(property)));
      facts.add(ALL + ": group " + text(parent, "groupId"));
      facts.add(ALL + ": version " + text(parent, "version"));
      facts.add(ALL + ": release " + properties.get("maven.compiler.release"));
      facts.add(ALL + ": encoding " + properties.get("project.build.sourceEncoding"));
      at(parent, "build", "pluginManagement", "plugins", "plugin", "configuration").forEach(plugin -> {
        if (text(plugin, "parameters").equals("true")) {
          facts.add(ALL + ": javac -parameters");
        }
        at(plugin, "compilerArgs", "arg").forEach(arg -> facts.add(ALL + ": javac " + resolve(text(arg))));
      });
      at(parent, "profiles", "profile").forEach(profile -> at(profile, "activation", "jdk").forEach(java ->
          at(profile, "properties", "javac.lint").forEach(lint -> facts.add(ALL + ": javac on Java " + text(java) + " " + text(lint)))));
      at(parent, "dependencyManagement", "dependencies", "dependency").forEach(entry ->
          (text(entry, "scope").equals("import") ? boms : managed).put(coordinates(entry), resolve(text(entry, "version"))));

      read(ALL, parent, PARENT);
      for (String module : at(parent, "modules", "module").map(BuildDrift::text).toList()) {
        Element pom = parse(root.resolve(module).resolve("pom.xml"));
        read(module, pom, MODULE);
        facts.add("module " + module + " " + at(pom, "parent", "version").map(BuildDrift::text).findFirst().orElse("missing"));
        boolean published = at(pom, "properties", "maven.deploy.skip").findAny().isEmpty();
        if (published) {
          facts.add(module + ": published");
        }
        boms.forEach((bom, version) -> facts.add(dependency(module, published ? "api bom" : "bom", bom, version)));
        at(pom, "build", "plugins", "plugin", "executions", "execution", "configuration", "annotationProcessorPaths", "path")
            .forEach(path -> facts.add(dependency(module, "processor", coordinates(path), resolve(text(path, "version")))));
        at(pom, "build", "plugins", "plugin", "configuration").flatMap(BuildDrift::children)
            .filter(value -> value.getTagName().matches("mainClass|commandlineArgs"))
            .flatMap(value -> CLASS.matcher(text(value)).results())
            .forEach(main -> facts.add(module + ": mainClass " + main.group()));
      }
      managed.keySet().stream().filter(entry -> !used.contains(entry))
          .forEach(entry -> facts.add("a version of " + entry + ", which no module names, so that it cannot be compared"));
      return facts;
    }

    private void read(String module, Element pom, Set<String> known) {
      leaves(pom, "").filter(leaf -> known.stream().noneMatch(leaf::matches))
          .forEach(leaf -> facts.add(module + ": " + leaf + ", which cannot be compared"));
      at(pom, "dependencies", "dependency").forEach(entry -> {
        String version = text(entry, "version");
        String scope = text(entry, "scope") + (text(entry, "optional").isEmpty() ? "" : "optional");
        used.add(coordinates(entry));
        String actual = version.isEmpty() ? managed.getOrDefault(coordinates(entry), MANAGED) : resolve(version);
        facts.add(dependency(module, scope.isEmpty() ? "compile" : scope, coordinates(entry), actual));
      });
    }

    private String resolve(String value) {
      return value.matches("\\$\\{.+}") ? properties.getOrDefault(value.substring(2, value.length() - 1), value) : value;
    }

    private static String coordinates(Element entry) {
      String suffix = text(entry, "type").equals("test-jar") ? " (tests)" : "";
      return text(entry, "groupId") + ":" + text(entry, "artifactId") + suffix;
    }

    private static Element parse(Path file) throws Exception {
      return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    }
  }

  /** What the build.gradle.kts files, settings.gradle.kts and libs.versions.toml say, line by line. */
  private static final class Gradle {
    private static final Pattern JAVAC = Pattern.compile("\"([^\"]+?)(\\$newer)?\"");

    private final SortedSet<String> facts = new TreeSet<>();
    private final Map<String, String> named = new HashMap<>();
    private final Map<String, String> libraries = new HashMap<>();
    private final List<String> modules = new ArrayList<>();
    private final Map<String, String> project = new HashMap<>();
    private final Path root;

    Gradle(Path root) {
      this.root = root;
    }

    SortedSet<String> facts() throws IOException {
      read("gradle/libs.versions.toml", Map.of(
          "\\[(versions|libraries)]|#.*", line -> {},
          "([\\w-]+) = \"([^\"]+)\"", version -> named.put(version.group(1), version.group(2)),
          "([\\w-]+) = \\{ module = \"([^\"]+)\"(?:, version\\.ref = \"([\\w-]+)\")? }", library ->
              libraries.put(
                  library.group(1).replace('-', '.'),
                  library.group(2) + ", " + (library.group(3) == null ? MANAGED : named.get(library.group(3))))));
      build(ALL, "build.gradle.kts");
      read("settings.gradle.kts", Map.of("include\\(\"([^\"]+)\"\\)", include -> modules.add(include.group(1))));
      for (String module : modules) {
        facts.add("module " + module + " " + project.get("version"));
        build(module, module + "/build.gradle.kts");
      }
      return facts;
    }

    private void build(String module, String file) throws IOException {
      read(file, Map.of(
          "(?:options\\.)?(group|version|release|encoding|mainClass) = \"?([^\"]+)\"?", setting -> {
            project.putIfAbsent(setting.group(1), setting.group(2));
            facts.add(module + ": " + setting.group(1) + " " + setting.group(2));
          },
          "`maven-publish`", plugin -> facts.add(module + ": published"),
          "val newer = if .*VERSION_(\\d+)\\)\\) \"(.*)\" else \"\"", newer -> {
            project.put("newer", "[" + newer.group(1) + ",)");
            project.put("lint", newer.group(2));
          },
          "listOf\\((.+)\\),", options -> JAVAC.matcher(options.group(1)).results().forEach(option -> {
            facts.add(module + ": javac " + option.group(1));
            if (option.group(2) != null) {
              facts.add(module + ": javac on Java " + project.get("newer") + " " + option.group(1) + project.get("lint"));
            }
          }),
          "(api|implementation)\\(platform\\(libs\\.([\\w.]+)\\)\\)", bom ->
              facts.add(module + ": " + (bom.group(1).equals("api") ? "api bom " : "bom ") + libraries.get(bom.group(2))),
          "\"?(\\w+)\"?\\(libs\\.([\\w.]+)\\)", entry ->
              facts.add(module + ": " + SCOPES.get(entry.group(1)) + " " + libraries.get(entry.group(2))),
          "(\\w+)\\(project\\(\":([\\w-]+)\"(, \"testJar\")?\\)\\)", entry -> {
            String coordinates = project.get("group") + ":" + entry.group(2) + (entry.group(3) == null ? "" : " (tests)");
            facts.add(dependency(module, SCOPES.get(entry.group(1)), coordinates, project.get("version")));
          }));
    }

    /** Hands each line to the reader whose pattern it matches. */
    private void read(String file, Map<String, Consumer<MatchResult>> readers) throws IOException {
      for (String line : Files.readAllLines(root.resolve(file)).stream().map(String::strip).toList()) {
        boolean read = line.isEmpty() || line.startsWith("//") || GRADLE_ALONE.contains(line);
        for (var reader : readers.entrySet()) {
          var matcher = Pattern.compile(reader.getKey()).matcher(line);
          if (matcher.matches()) {
            reader.getValue().accept(matcher.toMatchResult());
            read = true;
          }
        }
        if (!read) {
          facts.add(file + ": a line that is not understood: " + line);
        }
      }
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

  /** The elements that have no others in them, as path=value. */
  private static Stream<String> leaves(Element from, String path) {
    return children(from).flatMap(child -> {
      String here = path + child.getTagName();
      return children(child).findAny().isEmpty() ? Stream.of(here + "=" + text(child)) : leaves(child, here + "/");
    });
  }

  private static String text(Element element) {
    return element.getTextContent().strip();
  }

  private static String text(Element parent, String name) {
    return children(parent, name).map(BuildDrift::text).findFirst().orElse("");
  }
}
