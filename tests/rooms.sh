#!/bin/sh
# The two files as rooms, to be read and edited one by one, in build/rooms: a folder a group of CONTENTS, a file a section, none of 1 MB; and which of a
# file's sections call functions of those further down.
# usage: rooms.sh cut              gputrain.h to header/GROUP/NNN-SECTION.h, gputrain_cuda.cu to cuda/GROUP/NNN-SECTION.cu: NNN counts a file's sections;
#                                  000-opening, what stands in front of the first, is in no group. A : in a name becomes -. INDEX: section, room, its
#                                  first line in the file, lines, bytes. SUMS: of the files that were cut. Rooms that were edited are not cut over
#        rooms.sh join [--write]   whether the rooms in the order of their numbers are the files, or how they differ; --write: puts their text into the
#                                  files, unless one of these changed since it was cut, and cuts again: numbers follow the markers
#        rooms.sh calls [--lines]  calls upwards, circles of sections, and how many there are; --lines: first a line each, see tests/rooms.awk
# CONTENTS alone says what the groups are: a line that is not indented begins one, by its name up to a ":", if it has one (the header's); the lines behind
# it have its sections. Where there are neither, op:relu is in op, and what has no : in the group of the first of those that follow each other.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
trap 'rm -f build/joined' EXIT
to=build/rooms
# A command that gets a side: its folder, its rooms' ending, its file.
each() { for side in "header h gputrain.h" "cuda cu gputrain_cuda.cu"; do $1 $side; done; }
join_one() { find $to/"$1" -type f -name "[0-9]*.$2" 2>/dev/null | awk -F/ '{ print $NF "\t" $0 }' | sort | cut -f 2 | xargs cat >build/joined; }
as_cut() { grep -qxF "$(sha256sum <"$1" | cut -c 1-64) $2" $to/SUMS; } # whether that is what was cut of that file

cut_one() {
    awk -v side="$1" -v ending="$2" -v to=$to '
        function room(name, group) {
            if (rooms) tell()
            file = side "/" (group == "" ? "" : group "/") sprintf("%03d", rooms++) "-" name "." ending
            gsub(/:/, "-", file)
            folder = to "/" substr(file, 1, length(side "/" group))
            if (!(folder in made)) { system("mkdir -p " folder); made[folder] = 1 }
            section = name; first = FNR; bytes = 0
        }
        function tell() { # of the room that ends here
            close(to "/" file)
            print section, file, first, FNR - first, bytes
            if (bytes >= 1000000) fail(file " has " bytes " bytes, want less than 1000000")
        }
        function fail(text) { print text | "cat >&2"; failed = 1 }
        function begin_group(s) { s = tolower(s); gsub(/[^a-z0-9]+/, "-", s); gsub(/^-|-$/, "", s); group = s; grouped = 1 }
        function by_name(s,   p) {
            p = substr(s, 1, index(s, ":"))
            if (rooms == 1 || p != prefix) run = p == "" ? s : substr(p, 1, length(p) - 1)
            prefix = p
            return run
        }
        NR == 1 { room("opening", "") }
        /^(\/\/ )?CONTENTS/ && rooms == 1 { listed = 1; next_of = FNR + 1 }
        listed && FNR >= next_of { # the list: up to an empty line, or one that is no comment
            line = $0
            if (ending == "cu" && !sub(/^\/\/ /, "", line)) line = ""
            if (line !~ /[^ ]/) listed = 0
            else if (line ~ /^[^ ]/) { sub(/:.*/, "", line); begin_group(line) }
            else {
                sub(/^ +/, "", line); sub(/  .*/, "", line) # names, and a phrase behind two spaces
                n = split(line, word, " ")
                for (i = 1; i <= n; i++) group_of[word[i]] = group
            }
        }
        /^\/\/ >>[a-z0-9:_-]/ {
            match($0, /^\/\/ >>[a-z0-9:_-]+/)
            name = substr($0, 6, RLENGTH - 5)
            of = grouped ? group_of[name] : by_name(name)
            if (of == "") fail(name ": in no group of the CONTENTS of its file")
            room(name, of)
        }
        { print >(to "/" file); bytes += length + 1 }
        END { FNR++; tell(); exit failed }' "$3" >>$to/INDEX || bad=1
    join_one "$@"
    cmp -s build/joined "$3" || { echo "$3: its rooms are not the file"; bad=1; }
}
cut_both() {
    rm -rf $to
    mkdir -p $to && each cut_one && [ $bad -eq 0 ] && sha256sum gputrain.h gputrain_cuda.cu | tr -s ' ' >$to/SUMS
}
unwritten() { # rooms that hold what was not cut, nor is in the file
    join_one "$@"
    cmp -s build/joined "$3" || as_cut build/joined "$3" || { echo "$3: its rooms were edited: rooms.sh join --write, or rm -r $to"; bad=1; }
}
compare() {
    join_one "$@"
    if [ ! -s build/joined ]; then echo "$3: it has no rooms"; bad=1
    elif cmp -s build/joined "$3"; then echo "$3: equal"
    elif [ "$write" != --write ]; then echo "$3 (<) and its rooms (>) differ:"; diff "$3" build/joined | head -n 20; bad=1
    elif ! as_cut "$3" "$3"; then echo "$3 changed since it was cut: nothing is written"; bad=1
    else edited="$edited $3"; fi
}
write_one() { case "$edited " in *" $3 "*) join_one "$@" && cat build/joined >"$3" && echo "$3: written" || bad=1 ;; esac; }

bad=0 edited="" write=$2
case $1 in
cut)
    [ ! -f $to/SUMS ] || each unwritten
    [ $bad -eq 0 ] && cut_both && wc -l <$to/INDEX | awk '{ print $1 " rooms in build/rooms" }' ;;
join)
    [ -f $to/SUMS ] || { echo "no rooms: rooms.sh cut makes them"; exit 1; }
    each compare
    [ $bad -eq 0 ] || exit 1
    [ -z "$edited" ] || { each write_one; [ $bad -eq 0 ] && cut_both; } ;;
calls) awk ${2:+-v lines=1} -f tests/rooms.awk gputrain.h gputrain_cuda.cu ;;
*) sed -n '4,9s/^# //p' "$0"; exit 2 ;;
esac
