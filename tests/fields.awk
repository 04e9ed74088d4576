# Prints structs of more than `most` fields, of which nested ones count as their own: not those of the interface (gtr_..._desc), and of the .cu neither what
# kernels are given (as a __grid_constant__) nor what is theirs alone (the device half). Reads both files without comments (tests/strip.awk), behind lines "## NAME".
# usage: awk -v most=30 [-v but=NAME] -f tests/fields.awk; but: one that may have more
function count(text,   i, c, n, deep) { # of a declaration, from its type on
    n = 1
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c ~ /[(<[]/) deep++
        else if (c ~ /[])>]/) deep--
        else n += c == "," && !deep
    }
    return n
}
/^## / { file = $2; half = 0; next }
/^#if/ { if (half || /^#if GTR__DEVICE_HALF/) half++ }
/^#endif/ { if (half) half-- }
/__grid_constant__/ { for (at = $0; match(at, /__grid_constant__ (const )?[a-z_0-9]+/); at = substr(at, RSTART + RLENGTH)) {
    name = substr(at, RSTART, RLENGTH); sub(/.* /, "", name); given[name] = 1 } }
/^[ \t]*#/ || half { next }
!depth && !/^(typedef )?(struct|union)( [a-z_0-9]+)?( : [a-z_0-9]+)? \{/ { next }
{
    for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        if (c == "{") {
            kind[++depth] = text ~ /(struct|union)( [a-z_0-9]+)?( : [a-z_0-9]+)? $/ ? 1 : 0
            if (depth == 1) { named = text; sub(/^ +/, "", named); sub(/^(typedef )?(struct|union) /, "", named); sub(/[ :].*/, "", named) }
            n[depth] = 0; text = ""
        } else if (c == "}") { counted = kind[depth] ? n[depth] : 0; text = kind[depth] && depth > 1 ? "X" : ""; depth--; if (counted > largest) largest = counted }
        else if (c == ";") {
            if (depth && kind[depth] && text ~ /[^ ]/) n[depth] += count(text)
            if (!depth) { sub(/^ +/, "", text); tell(named ? named : text, largest); largest = 0; named = text = "" }
            else text = ""
        } else text = text c
    }
    text = text " "
}
function tell(name, fields) { if (fields > most && name !~ /^gtr_[a-z_]*_desc$/) { line[++lines] = file ": struct " name " has " fields " fields (at most " most ")"; of[lines] = name } }
END { for (i = 1; i <= lines; i++) if (!given[of[i]] && of[i] != but) print line[i] }
