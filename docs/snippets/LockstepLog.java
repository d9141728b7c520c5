// Writes native Lockstep log lines: see docs/logs.md.
public final class LockstepLog {
    /** log("1", "send", "to", "2", "kind", "reply"): keys and values in turn. */
    public static synchronized void log(String node, String event, Object... fields) {
        StringBuilder line = new StringBuilder("{\"node\":" + quote(node) + ",\"event\":" + quote(event));
        for (int i = 0; i + 1 < fields.length; i += 2) {
            line.append(',').append(quote(fields[i].toString())).append(':').append(quote(fields[i + 1].toString()));
        }
        System.out.println(line.append('}'));
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }

    public static void main(String[] args) {
        log("1", "request");
        log("1", "enter");
        log("1", "exit");
        log("1", "send", "to", "2", "kind", "token", "id", 1);
        log("2", "recv", "from", "1", "kind", "token", "id", 1);
        log("2", "enter");
        log("2", "exit");
    }
}
