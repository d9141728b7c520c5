// Writes native Lockstep log lines: see docs/logs.md.
#include <cstdio>
#include <initializer_list>
#include <iostream>
#include <mutex>
#include <string>
#include <utility>

inline std::string quote(const std::string& text) {
    std::string quoted = "\"";
    for (unsigned char c : text) {
        char escaped[8];
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += static_cast<char>(c);
        } else if (c < ' ') {
            std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
            quoted += escaped;
        } else {
            quoted += static_cast<char>(c);
        }
    }
    return quoted + '"';
}

// log_event("1", "send", {{"to", "2"}, {"kind", "reply"}});
inline void log_event(const std::string& node, const std::string& event,
                      std::initializer_list<std::pair<const char*, std::string>> fields = {}) {
    static std::mutex mutex;
    std::string line = "{\"node\":" + quote(node) + ",\"event\":" + quote(event);
    for (const auto& [key, value] : fields) line += "," + quote(key) + ":" + quote(value);
    std::lock_guard<std::mutex> guard(mutex);
    std::cout << line << "}" << std::endl;
}

int main() {
    log_event("1", "request");
    log_event("1", "enter");
    log_event("1", "exit");
    log_event("1", "send", {{"to", "2"}, {"kind", "token"}, {"id", "1"}});
    log_event("2", "recv", {{"from", "1"}, {"kind", "token"}, {"id", "1"}});
    log_event("2", "enter");
    log_event("2", "exit");
}
