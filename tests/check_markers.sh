#!/bin/sh
# CONTENTS of each file must list its markers (`// >>name` at column 0), in order, each once; an op of the .cu must be one of the header's.
# The .cu's list: lines of `//`, five spaces, names, and, two spaces or more behind them, a phrase.
# The header's: lines of four spaces and names, and in front of a group's first one that is not indented: "group: what it is" (tests/rooms.sh).
# usage: check_markers.sh [--write]     --write: first writes the list into the header as it should stand, groups in front of the sections where they stood,
#                                       and into the .cu's, behind the section in front of it, an op:NAME that it lacks; one that is gone leaves both
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
marks() { grep -o '^// >>[a-z0-9:_-]*' "$1" | sed 's#^// >>##'; }
marks gputrain.h >build/markers
if [ "$1" = --write ]; then
    awk 'FNR == NR { marker[++n] = $0; next }
        /^CONTENTS/ && !done { on = done = 1; print; next }
        on && /^[^ ]/ { head = $0; heads++; next }
        on && NF { if (head != "") of[$1] = head; head = ""; next }
        on {
            for (i = 1; i <= n; i++) {
                m = marker[i]
                if (line != "" && (m in of || length(line) + length(m) > 119)) { print line; line = "" }
                if (m in of) { print of[m]; heads-- }
                line = line (line == "" ? "    " : " ") m
            }
            print line
            on = 0
        }
        { print }
        END { if (heads) print "a group of CONTENTS has lost its first section: its heading belongs in front of another" | "cat >&2"; exit heads != 0 }' \
        build/markers gputrain.h >build/gputrain.h || exit 1
    cmp -s build/gputrain.h gputrain.h || cat build/gputrain.h >gputrain.h || exit 1
    marks gputrain_cuda.cu >build/markers.cu
    awk 'FNR == NR { next_of[last] = $0; stands[$0] = 1; last = $0; next }
        # ops behind m of the file that the list lacks
        function missing(m,   s) {
            while ((m = next_of[m]) ~ /^op:/ && !(m in listed)) s = s " " m
            return s
        }
        function say(names,   i, n, word, line) {
            n = split(names, word, " ")
            for (i = 1; i <= n; i++) {
                if (line != "" && length(line) + length(word[i]) > 113) { print "//     " line; line = "" }
                line = line (line == "" ? "" : " ") word[i]
            }
            if (line != "") print "//     " line
        }
        /^\/\/ CONTENTS/ && !done { on = done = 1; n = 0 }
        on && !/^\/\/ / {
            on = 0
            for (i = 1; i <= n; i++) if (list[i] ~ /^\/\/     /) {
                split(substr(list[i], 8), part, "  ")
                count = split(part[1], word, " ")
                for (k = 1; k <= count; k++) listed[word[k]] = 1
            }
            for (i = 1; i <= n; i++) {
                text = substr(list[i], 8)
                if (list[i] !~ /^\/\/     / || text ~ /  /) { # a group, or a name with its phrase
                    say(waits)
                    waits = ""
                    print list[i]
                    if (list[i] ~ /^\/\/     /) { sub(/ .*/, "", text); waits = missing(text) }
                } else {
                    count = split(text, word, " ")
                    for (k = 1; k <= count; k++)
                        if (word[k] !~ /^op:/ || word[k] in stands) waits = waits " " word[k] missing(word[k])
                    say(waits)
                    waits = ""
                }
            }
            say(waits)
        }
        on { list[++n] = $0; next }
        { print }' build/markers.cu gputrain_cuda.cu >build/gputrain_cuda.cu || exit 1
    cmp -s build/gputrain_cuda.cu gputrain_cuda.cu || cat build/gputrain_cuda.cu >gputrain_cuda.cu || exit 1
fi
awk '/^CONTENTS/ { on = 1; next } on && /^$/ { exit } on && /^ / { for (i = 1; i <= NF; i++) print $i }' gputrain.h >build/contents
bad=0
twice=$(sort build/markers | uniq -d)
[ -z "$twice" ] || { echo "markers that stand twice in gputrain.h: $twice"; bad=1; }
diff build/contents build/markers >build/markers.diff || { echo "CONTENTS (<) and markers (>) of gputrain.h differ (sh tests/check_markers.sh --write mends them):"; cat build/markers.diff; bad=1; }
if [ -f gputrain_cuda.cu ]; then
    marks gputrain_cuda.cu >build/markers.cu
    twice=$(sort build/markers.cu | uniq -d)
    [ -z "$twice" ] || { echo "markers that stand twice in gputrain_cuda.cu: $twice"; bad=1; }
    grep '^op:' build/markers.cu | while read -r m; do
        grep -qxF "$m" build/markers || echo "$m stands in gputrain_cuda.cu and not in gputrain.h"
    done >build/markers.diff
    [ ! -s build/markers.diff ] || { cat build/markers.diff; bad=1; }
    awk '/^\/\/ CONTENTS/ { on = 1; next } on && !/^\/\/ / { exit }
        on && sub(/^\/\/     /, "") { sub(/  .*/, ""); for (i = 1; i <= NF; i++) print $i }' gputrain_cuda.cu >build/contents.cu
    diff build/contents.cu build/markers.cu >build/markers.diff ||
        { echo "CONTENTS (<) and markers (>) of gputrain_cuda.cu differ (sh tests/check_markers.sh --write mends it where an op: is new or gone):"; cat build/markers.diff; bad=1; }
fi
exit $bad
