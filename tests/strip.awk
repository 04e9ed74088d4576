# Prints C or C++ source without comments, trailing blanks and blank lines: what `make hash` hashes.
# usage: awk -f tests/strip.awk gputrain.h
{
    line = $0; out = ""; n = length(line); i = 1
    while (i <= n) {
        if (comment) {
            at = index(substr(line, i), "*/")
            if (!at) break
            i += at + 1; comment = 0; out = out " "
            continue
        }
        c = substr(line, i, 1); two = substr(line, i, 2)
        if (quote != "") {
            if (c == "\\") { out = out two; i += 2; continue }
            if (c == quote) quote = ""
        } else if (two == "/*") { comment = 1; i += 2; continue }
        else if (two == "//") break
        else if (c == "\"" || (c == "'" && substr(line, i - 1, 1) !~ /[0-9A-Za-z_]/)) quote = c
        out = out c; i++
    }
    if (substr(line, n, 1) != "\\") quote = ""
    sub(/[ \t\r]+$/, "", out)
    if (out != "") print out
}
