#!/bin/sh
# make try: of one op, loss or layer what tests there are. usage: try.sh names NAME, which says what that is, or what names there are;
# try.sh run NAME PROGRAM..., test_losses and compose beside them; try.sh check: whether each row and each generator is found by its name.
# A name is a row's (tests/programs/op_rows.h, elementwise.h, test_goldens.c) or a builder's (builders.h), with or without 1d, 2d, _ex and _with.
cd "$(dirname "$0")/.." || exit 1
p=tests/programs
named() { # rows and builders, "row NAME" and "builder NAME" each
    {
        sed -nE 's/^OP_ROW\(([a-z0-9_]+),.*/\1/p; s/^OP_ROW_AS\([a-z0-9_]+, "([^",]*).*/\1/p; s/^OP_ROW_BY\("([^",]*).*/\1/p' $p/op_rows.h
        sed -nE 's/^    X\([A-Z0-9_]+, ([a-z0-9_]+), "[A-Za-z]+",.*/\1/p' $p/elementwise.h
        sed -n '/^#define OPS/,/[^\\]$/p' $p/test_goldens.c | sed -nE 's/^    X\(([a-z0-9_]+),.*/\1/p'
        sed -nE 's/.*check_row\("([a-z_]+)"\).*/\1/p' $p/test_goldens.c
    } | sort -u | sed 's/^/row /'
    {
        grep -oE '([A-Z]+_)?(GENERATOR|JUMPS|LOSS)\([a-z0-9_]+[,)]' $p/builders.h | sed -E 's/.*\((.*)./\1/'
        grep -oE 'PAIR_LOSS\([a-z0-9_]+,' $p/builders.h | sed -E 's/.*\((.*),/\1_ex/'
    } | grep -vxE 'name|name_ex' | sort -u | sed 's/^/builder /'
}
# Rows whose builders have other names, a comma behind each but the last of either; on a side alone: no other.
pairs() {
    cat <<'END'
cell, recurrent, recurrence = rnn, gru, lstm, rnn_cell, gru_cell, lstm_cell
multihead = multihead_attention
positions = add_positions
scatter_add = scatter_add_rows
norm 1, norm 2, norm inf, norm1, norm2, norm_inf = norm
var_biased = var
sort_places = sort
top_k_places = top_k
linear_no_bias = linear
equal_to = equal
rectify = prelu
mask, mask_not = where
pads = pad
several = custom
group_norm = instance_norm
xent = cross_entropy
images, layout = conv2d
jumps, twice, linear_acts, linear_exp, binary_acts, shared_weights, recomputed, itself, classifier, divisor =
 = output, arange, gradient, keep, state, standardise, unstandardise
END
}
# Of a name "row NAME" and "builder NAME" each that it stands for; of none, what there are. Without a name: who stands for nothing.
found() {
    { pairs | sed 's/^/pair /'; named; } | awk -v name="$1" '
        function plain(s) { sub(/(_ex|_with|_t)$/, "", s); return s }
        function bare(s) { s = plain(s); sub(/[12]d$/, "", s); return s }
        # how many of a kind are s, or s with a suffix; print: say so
        function like(kind, s,   k, n) {
            for (k = 1; k <= count[kind]; k++)
                if (all[kind, k] == s || plain(all[kind, k]) == s || bare(all[kind, k]) == s) { n++; said[kind " " all[kind, k]] = 1 }
            return n
        }
        # of the pairs whose side has s, the other; other: of the other kind
        function paired(s, side, kind,   k, i, n, list) {
            for (k = 1; k <= n_pairs; k++)
                if (index(", " pair[k, side] ",", ", " s ",")) {
                    n += !pair[k, 3 - side]
                    for (i = split(pair[k, 3 - side], list, ", "); i; i--) n += like(kind, list[i])
                }
            return n
        }
        function resolve(s,   r, b) {
            split("", said)
            r = like("row", s)
            if (!r && ("builder", s) in is) r = like("row", plain(s))
            if (!r && ("builder", s) in is) r = like("row", bare(s))
            r += paired(s, 2, "row") + paired(plain(s), 2, "row")
            b = like("builder", s) + paired(s, 1, "builder")
            if (!b && ("row", s) in is) b = like("builder", bare(s)) + paired(bare(s), 1, "builder")
            return (r > 0) + 2 * (b > 0)
        }
        $1 == "pair" { sub(/^pair /, ""); split($0, half, / *= */); n_pairs++; for (i = 1; i < 3; i++) pair[n_pairs, i] = half[i]; next }
        { kind = $1; sub(/^[a-z]+ /, ""); all[kind, ++count[kind]] = $0; is[kind, $0] = 1 }
        END {
            if (name != "") {
                resolve(name)
                for (s in said) { print s; some = 1 }
                if (!some) for (k in is) { split(k, part, SUBSEP); print "name " part[2] }
                exit
            }
            for (k in is) {
                split(k, part, SUBSEP)
                if (resolve(part[2]) < 3) print "tests/try.sh: the " part[1] " " part[2] " has no " (part[1] == "row" ? "builder" : "row") " of its name: it wants a line of pairs"
            }
            for (k = 1; k <= n_pairs; k++) for (side = 1; side < 3; side++)
                for (i = split(pair[k, side], list, ", "); i; i--)
                    if (!((side == 1 ? "row" : "builder", list[i]) in is)) print "tests/try.sh: there is no " (side == 1 ? "row " : "builder ") list[i]
        }' | sort -u
}
commas() { paste -s -d , - | sed 's/,/, /g'; }
mode=$1 name=$2
if [ "$mode" = check ]; then
    ! found '' | grep .
    exit
fi
all=$(found "$name")
if [ "${all%% *}" = name ]; then
    echo "make try: nothing is named $name. What there is, rows of tests and builders, these with _ex and _with, too:"
    echo "$all" | sed 's/^name //' | grep -vE '_(ex|with)$' | commas | fold -s -w 150
    exit 2
fi
rows=$(echo "$all" | sed -n 's/^row //p') builders=$(echo "$all" | sed -n 's/^builder //p')
if [ "$mode" = names ]; then
    echo "$name: rows: $(echo "${rows:-none}" | commas); compositions with: $(echo "${builders:-none}" | commas)"
    exit
fi
shift 2
bad=0
[ -z "$rows" ] || GTR_TEST_ROW=$rows sh tests/run.sh "$@" || bad=1
NAMES=defaults sh tests/run.sh build/cpu/test_losses || bad=1
if [ "$builders" ]; then build/cpu/compose seconds=10 with="$(echo "$builders" | paste -s -d , -)" || bad=1
else echo "no composition ran: $name is of tests alone, and no builder's"
fi
[ "$rows" ] || echo "no row ran: $name has none in op_rows.h, elementwise.h or test_goldens.c, and compositions alone"
[ $bad -eq 0 ] || echo "$name: failed, as said above"
exit $bad
