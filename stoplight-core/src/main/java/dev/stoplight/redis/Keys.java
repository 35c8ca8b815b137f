package dev.stoplight.redis;

/** The names of everything in Redis. All keys of one breaker share a hash tag, so that they live in one Cluster slot. */
final class Keys {

    private final String prefix;

    Keys(String prefix) {
        if (prefix.isBlank() || prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException("keyPrefix must not be blank and must not contain braces, was '" + prefix + "'");
        }
        this.prefix = prefix;
    }

    /** The keys of one breaker in the order in which the scripts expect them. */
    String[] of(String id) {
        String tag = prefix + ":{" + encode(id) + "}:";
        return new String[] {tag + "state", tag + "failures", tag + "calls", tag + "probes", tag + "history", tag + "settings"};
    }

    String state(String id) {
        return of(id)[0];
    }

    String probes(String id) {
        return of(id)[3];
    }

    String settings(String id) {
        return of(id)[5];
    }

    /** Known ids by last sight. */
    String breakers() {
        return prefix + ":breakers";
    }

    /** Redis publishes to all of its databases, and each has lights of its own: so each but the first has a channel of its own. */
    String channel(int database) {
        return prefix + ":events" + (database == 0 ? "" : ":" + database);
    }

    /** Braces would end the hash tag. A percent sign is encoded only where it could be taken for one of ours. */
    private static String encode(String id) {
        if (id.indexOf('{') < 0 && id.indexOf('}') < 0 && id.indexOf('%') < 0) {
            return id;
        }
        return id.replaceAll("%(?=7[BbDd]|25)", "%25").replace("{", "%7B").replace("}", "%7D");
    }
}
