# gputrain.h for tests that use its private names and are linked with it, compiled once. -v whole=1: all of it, with functions
# and tables of the implementation that other files can link with; without: declarations of these. Lines keep their numbers.
# usage: awk [-v whole=1] -f tests/generate/private.awk gputrain.h
# It goes by the file's form: a definition begins in column 0, and ends in a line that ends with ";" or "}", or in a brace alone in
# column 0, or, a table, in one with a semicolon; a function's body may be a macro's.
function balanced(s,   t) { t = s; return gsub(/\(/, "", s) == gsub(/\)/, "", t) }
function kind_of(s,   brace, value) { # of a head
    if (s ~ /^[A-Z_0-9]+\(/) return "macro"
    brace = s ~ /^const struct \{/ ? 0 : index(s, " {"); value = index(s, " = ")
    if (value && (!brace || value < brace)) return s ~ /^[^=]*gtr__(unary_rows|optimizers)\[/ ? "list" : "table"    # whose length tests want
    return s ~ /\(/ ? "function" : "variable"
}
function declare(s, kind) {
    if (kind == "macro") return s ~ /^GTR__(FOLD_CODE|MOVER|FORMULA_FUNCTIONS)\(|\(GTR__(EW_BINARY|UNARY_LOOPS)\)$/ ? s : "" # types, and what tests call
    if (kind == "table") return "extern " substr(s, 1, index(s, " = ") - 1) ";"
    if (kind == "list") return "static " s
    if (kind == "variable") return "extern " s
    sub(/ \{.*$/, ";", s)
    sub(/\) +GTR__[A-Z_]+\(.*\)$/, ");", s)
    return s
}
BEGIN { # some that are declared stay static, and a test uses few of them
    quiet = "#pragma GCC diagnostic "
    print (whole ? "#include \"tests/programs/counted.h\"" : quiet "push\n" quiet "ignored \"-Wunused-function\"")
    print "#define GPUTRAIN_IMPLEMENTATION\n#line 1 \"gputrain.h\""
}
END { if (!whole) print quiet "pop" }
$0 == "#ifdef GPUTRAIN_IMPLEMENTATION" && NR > 1000 { inside = 1 }
!inside { print; next }
ends { # within a definition
    print whole || kind == "list" ? $0 : ""
    if ($0 ~ ends) ends = ""
    next
}
/^\/\*/ && !/\*\/ *$/ { comment = 1 }
comment { print; if (/\*\//) comment = 0; next }
/^#/ || directive { directive = /\\$/; print; next }
!head && (/^(static inline|GTR__INLINE|typedef|enum|struct|union) / || !/^[A-Za-z_]/ || /^[A-Z_0-9]+$/) { print; next }
{
    line = $0
    sub(/^static /, "", line)
    if (whole) print kind_of(line) == "list" ? $0 : line
    sub(/ *\/\*.*\*\/$/, "", line)
    head = head (head ? " " : "") line
    if (line ~ /[;{}]$/ || (balanced(head) && head ~ /^[A-Z_0-9]+\(.*\)$|\) +GTR__[A-Z_]+\(.*\)$/)) {
        kind = kind_of(head)
        if (!whole) print declare(head, kind)
        if (line ~ /\{$/) ends = kind ~ /list|table/ ? "};$" : "^}$"
        head = ""
    } else if (!whole) print ""
}
