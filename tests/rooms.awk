# Which functions of gputrain.h and gputrain_cuda.cu are used by sections that stand before their own: calls upwards, which need a prototype.
# usage: awk [-v lines=1] -f tests/rooms.awk gputrain.h gputrain_cuda.cu
# Prints, of each file: with lines=1 a line for each such call, and where; the pairs, "user -> section: functions (calls)"; the circles, sections of which each
# reaches each other by calls up or down; how many calls upwards and functions there are, and sections in the largest circle (0: there is none).
# A function: a name gtr_..., arguments and a body outside of braces, in any branch of an #if. A call: a function that has another's name in its body, once
# however often, whether it calls it or hands it on. A struct's members call for the struct; a static_assert and a variable's value for their section.
# No calls: comments, strings, prototypes, tags, members and types of that name, and what a table outside of functions lists ( = { ... } ).
# A macro's lines call nothing where it is defined: where it is used it is expanded, with its arguments, and what comes of it calls, or is a function. Of several
# definitions, in branches of an #if, all hold. The .cu sees the header's macros as far as >>backend-end; the header's functions do not count there.
# A line that begins with } ends what is open: branches of an #if may open a brace each.
function bare(s,   out, at, t) { # the line without comments, its strings empty; a comment may go on in the next
    while (s != "") {
        if (comment) {
            if (!(at = index(s, "*/"))) break
            s = " " substr(s, at + 2); comment = 0
        }
        if (!match(s, /\/[*\/]|"|'/)) return out s
        t = substr(s, RSTART, RLENGTH)
        out = out substr(s, 1, RSTART - 1)
        at = RSTART
        s = substr(s, RSTART + RLENGTH)
        if (t == "//") break
        if (t == "/*") comment = 1
        else if (t == "'" && out ~ /[0-9A-Za-z_]$/) out = out " " # within a number
        else {
            out = out "\"\""
            if (!match(s, t == "'" ? "^([^'\\\\]|\\\\.)*'" : "^([^\"\\\\]|\\\\.)*\"")) break
            s = substr(s, RLENGTH + 1)
        }
    }
    return out
}

# Macros
function define(s,   name, params, n, i, p) { # what stands behind #define
    match(s, /^[A-Za-z_0-9]+/)
    name = substr(s, 1, RLENGTH)
    s = substr(s, RLENGTH + 1)
    params = "-" # it takes none, and no parentheses
    if (s ~ /^\(/) { params = substr(s, 2, index(s, ")") - 2); s = substr(s, index(s, ")") + 1); gsub(/[ \t\n]/, "", params) }
    sub(/[ \t\n]+$/, "", s)
    gsub(/[ \t\n]*##[ \t\n]*/, "\001", s)
    gsub(/#[ \t]*[A-Za-z_]+/, "\"\"", s)
    body[name] = name in body && takes[name] == params ? body[name] " " s : s
    takes[name] = params
    handed[name] = 0 # whether it calls a parameter: a list that is told what to do with each row
    n = split(params, p, ",")
    for (i = 1; i <= n; i++) if (p[i] ~ /^[A-Za-z_0-9]+$/ && s ~ ("(^|[^A-Za-z_0-9])" p[i] "\\(")) handed[name] = 1
    if (inside) own[name] = 1
    split("", lively)
}
function is_lively(name,   s, w) { # whether functions' names or braces may come of it
    if (name in lively) return lively[name]
    lively[name] = 0
    s = body[name]
    if (handed[name] || s ~ /gtr_|\001|[{}]/) return lively[name] = 1
    while (match(s, /[A-Za-z_][A-Za-z_0-9]*/)) {
        w = substr(s, RSTART, RLENGTH)
        s = substr(s, RSTART + RLENGTH)
        if (w in body && is_lively(w)) return lively[name] = 1
    }
    return 0
}
function expanded(s, hidden,   out, name, arg, n, p, i, by, t) { # hidden: macros whose expansion s is
    while (match(s, /(gtr|GTR)_[A-Za-z_0-9]+/)) {
        name = substr(s, RSTART, RLENGTH)
        out = out substr(s, 1, RSTART - 1)
        s = substr(s, RSTART + RLENGTH)
        if (!(name in body) || out ~ /[A-Za-z_0-9]$/ || index(hidden, " " name " ") || !is_lively(name)) { out = out name; continue }
        if (takes[name] == "-") { out = out expanded(body[name], hidden name " "); continue }
        if (s !~ /^[ \t\n]*\(/) { out = out name; continue }
        n = 1; i = 0
        split("", arg); split("", by)
        arg[1] = ""
        while (match(s, /[(),]/)) { # i: open parentheses
            t = substr(s, RSTART, 1)
            if (i) arg[n] = arg[n] substr(s, 1, RSTART - 1)
            s = substr(s, RSTART + 1)
            if (t == "(" && !i++) continue
            if (t == ")" && !--i) break
            if (t == "," && i == 1 && n < split(takes[name], p, ",")) arg[++n] = ""
            else arg[n] = arg[n] t
        }
        n = split(takes[name], p, ",")
        for (i = 1; i <= n; i++) {
            gsub(/^[ \t\n]+|[ \t\n]+$/, "", arg[i])
            by[p[i] == "..." ? "__VA_ARGS__" : p[i]] = expanded(arg[i], hidden)
        }
        out = out expanded(filled(body[name], by), hidden name " ")
    }
    return out s
}
function filled(s, by,   out, w) { # parameters replaced by what by has for them
    while (match(s, /[A-Za-z_0-9]+/)) {
        w = substr(s, RSTART, RLENGTH)
        out = out substr(s, 1, RSTART - 1) (w in by ? by[w] : w)
        s = substr(s, RSTART + RLENGTH)
    }
    gsub(/\001/, "", s); gsub(/\001/, "", out)
    return out s
}

# Code, macros expanded: outside of braces a head, up to { or ;, in which name is a function's and pending what else stands there; then a body, of user
function reset() { name = user = last = pending = ""; equals = paren = table = 0 }
function use(by, what,   key) {
    key = section SUBSEP by SUBSEP what
    if (by == what || key in place) return
    place[key] = at
    use_of[++n_uses] = key
}
function use_pending(by,   n, i, w) { n = split(pending, w, " "); for (i = 1; i <= n; i++) use(by, w[i]) }
function read_code(s,   t, before) {
    while (match(s, depth ? "[{}]|gtr_[A-Za-z_0-9]+" : "[{}();=]|gtr_[A-Za-z_0-9]+")) {
        t = substr(s, RSTART, RLENGTH)
        before = substr(s, 1, RSTART - 1)
        s = substr(s, RSTART + RLENGTH)
        if (t ~ /^gtr_/) {
            if (before ~ /[A-Za-z_0-9.]$|(->|struct|union|enum) ?$/ || s ~ /^ *([*&]+ *[A-Za-z_,)>]|[A-Za-z_])/) { # a tag, a member, a type
                if (!depth) last = t
            }
            else if (depth) { if (!table) use(user, t) }
            else if (!paren && !equals && name == "" && s ~ /^ *(<[^<>()]*>)? *\(/) name = t
            else { last = t; pending = pending t " " }
        } else if (t == "{") {
            if (!depth++) {
                if (name != "" && !equals) {
                    user = name
                    if (!(name in sections_of)) { sections_of[name] = " "; n_functions++ }
                    if (!index(sections_of[name], " " section " ")) sections_of[name] = sections_of[name] section " "
                    use_pending(user)
                } else if (equals) table = 1
                else user = last
            }
        } else if (t == "}") {
            if (depth) depth--
            if (!depth) reset()
        } else if (t == "(") paren++
        else if (t == ")") { if (paren) paren-- }
        else if (t == "=") { if (!paren) equals = 1 }
        else if (t == ";" && !paren) {
            if (name == "" || equals) use_pending("")
            reset()
        }
    }
}
function template_out(s,   i, d, c) { # without template <...>, in which = and ( mean something else
    while (s ~ /^template *</) {
        for (i = index(s, "<"); i <= length(s); i++) {
            c = substr(s, i, 1)
            if (c == "<") d++
            else if (c == ">" && !--d) break
        }
        s = substr(s, i + 1)
        sub(/^ +/, "", s)
    }
    return s
}
function flush(   n, i, piece) {
    if (index(held, "GTR_") || held ~ aliases) held = expanded(held, " ")
    n = split(held, piece, "\n")
    for (i = 1; i <= n; i++) read_code(piece[i])
    held = ""; open = 0
}

# The graph of sections
function strong(v,   w, n, size, list) { # Tarjan
    mark[v] = low[v] = ++count
    stack[++top] = v; on_stack[v] = 1
    for (w = 0; w <= n_sections; w++) if ((v, w) in edge) {
        if (!(w in mark)) { strong(w); if (low[w] < low[v]) low[v] = low[w] }
        else if (on_stack[w] && mark[w] < low[v]) low[v] = mark[w]
    }
    if (low[v] != mark[v]) return
    do { w = stack[top--]; on_stack[w] = 0; size++; member[w] = v } while (w != v)
    if (size < 2) return
    for (w = 0; w <= n_sections; w++) if (w in member && member[w] == v) list = list " " title[w]
    print "circle of " size " sections:" list
    if (size > largest) largest = size
}
function report(   k, p, from, to, n, w, i, pair, n_pairs, calls_of, names_of, named, order, n_calls) {
    for (k = 1; k <= n_uses; k++) {
        split(use_of[k], p, SUBSEP)
        if (!(p[3] in sections_of)) continue
        from = p[1] + 0
        n = split(sections_of[p[3]], w, " ")
        to = w[1] + 0 # of several places the last that is not below, else the first
        for (i = 2; i <= n; i++) if (w[i] + 0 <= from) to = w[i] + 0
        if (to == from) continue
        edge[from, to] = 1
        if (to < from) continue
        n_calls++
        if (lines) print file ":" place[use_of[k]] ": " title[from] " -> " title[to] ": " (p[2] == "" ? "-" : p[2]) " uses " p[3]
        pair = from SUBSEP to
        if (!(pair in calls_of)) { order[++n_pairs] = pair; names_of[pair] = "" }
        calls_of[pair]++
        if (!((pair, p[3]) in named)) { named[pair, p[3]] = 1; names_of[pair] = names_of[pair] (names_of[pair] == "" ? "" : ", ") p[3] }
    }
    for (k = 1; k <= n_pairs; k++) {
        split(order[k], p, SUBSEP)
        print title[p[1] + 0] " -> " title[p[2] + 0] ": " names_of[order[k]] " (" calls_of[order[k]] ")"
    }
    for (k = 0; k <= n_sections; k++) if (!(k in mark)) strong(k)
    print file ": " n_calls + 0 " upward calls among " n_functions + 0 " functions, largest circle " largest + 0 " sections"
}
function begin() {
    file = FILENAME
    split("", sections_of); split("", place); split("", use_of); split("", edge); split("", mark); split("", member)
    n_uses = n_functions = n_sections = section = largest = count = top = depth = comment = 0
    title[0] = "opening"
    for (name in own) { delete body[name]; delete takes[name] }
    split("", own); split("", lively)
    inside = 0
    reset()
}
FNR == 1 { if (NR > 1) { flush(); report() } begin() }
/^\/\/ >>[a-z0-9]/ {
    flush()
    match($0, /^\/\/ >>[a-z0-9:_-]+/)
    title[section = ++n_sections] = substr($0, 6, RLENGTH - 5)
    if (title[section] == "backend-end") inside = 1
}
{
    line = comment || $0 ~ /["'\/]/ ? bare($0) : $0
    if (directive != "" || line ~ /^[ \t]*#/) { # with the lines that continue it
        more = sub(/\\$/, "", line)
        directive = directive line "\n"
        if (more) next
        if (sub(/^[ \t]*#[ \t]*define[ \t]+/, "", directive)) {
            define(directive)
            if (directive ~ /^[a-z]/) aliases = aliases "|" substr(directive, 1, match(directive, /[^A-Za-z_0-9]/) - 1)
        } else if (sub(/^[ \t]*#[ \t]*undef[ \t]+/, "", directive)) { sub(/[ \t\n].*/, "", directive); delete body[directive] }
        directive = ""
        next
    }
    if (line ~ /^[ \t]*$/ || line ~ /^(extern ""|namespace [a-z]+) \{$/) next
    if (line ~ /^\}/) { flush(); if (depth > 1) depth = 1 }
    if (line ~ /^template/) line = template_out(line)
    if (held == "") at = FNR
    held = held (held == "" ? "" : " ") line
    t = line
    open += gsub(/\(/, "", t) - gsub(/\)/, "", t)
    if (open <= 0) flush()
}
BEGIN { aliases = "\001" } # macros whose names look like functions'
END { flush(); report() }
