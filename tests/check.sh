#!/bin/sh
# Everything that is not a test program: compilers and standards, symbols, markers, sanitizers, examples. Prints a line a check; exits
# non-zero if one fails. usage: check.sh [name...] [--write]; --write: functions first names in README what it lacks. CC, CFLAGS as for make; COMPILERS: those to try (gcc clang); CHECK_DIR: where they build
cd "$(dirname "$0")/.." || exit 1
all="compilers others msvc static units symbols build markers order plants ops compose functions size form examples emulated kernels cache variants address thread valgrind fuzz verified"
CC=${CC:-cc} CFLAGS=${CFLAGS:--O3 -march=native}
COMPILERS=${COMPILERS:-$(for c in gcc clang; do command -v $c; done)}
warn="-Wall -Wextra -Wformat-security -Werror" # the third: what distributions' compilers warn of without being asked
failed=""

# A folder of its own for each check: several may run side by side.
sources() {
    dir=${CHECK_DIR:-build/check}/$1
    [ -d "$dir" ] || rm -f "$dir" # of an older check, a file
    mkdir -p "$dir" || exit 1
    printf '#define GPUTRAIN_IMPLEMENTATION\n#include "gputrain.h"\nint main(void) { return 0; }\n' >"$dir"/all.c
    printf '#include "gputrain.h"\n#include "gputrain.h"\nint main(void) { return 0; }\n' >"$dir"/api.c
    cp "$dir"/all.c "$dir"/all.cc
    cp "$dir"/api.c "$dir"/api.cc
}

# compile compiler standard file flags...
compile() {
    c=$1 std=$2 file=$3
    shift 3
    case $std in c++*) file=$file.cc ;; *) file=$file.c; set -- "$@" -Wpedantic ;; esac
    $c -std="$std" $warn "$@" -I. $file || { echo "$c -std=$std $* $file fails"; return 1; }
}

# What tests are linked with, and its declarations.
apart() { make -s --no-print-directory build/private.h build/library.c; }
# The examples without the library, which all of them have the same: $dir/examples.
examples_apart() {
    mkdir -p $dir/examples
    cp gputrain.h $dir
    for e in examples/*.c; do sed '/^#define GPUTRAIN_IMPLEMENTATION$/d' "$e" >$dir/"$e"; done
}

# README's programs compile as they stand, those in C++ from C++11 on; and no other snippet takes the address of a compound literal or names a member of a
# member, which no C++ compiles.
readme_compiles() {
    awk -v to="$dir/readme" '/^```c(pp)?$/ { kind = $0 == "```c" ? "c" : "cc"; text = ""; next }
        /^```/ { if (kind && text ~ /int main\(/) { n++; printf "%s", text >(to n "." kind) } kind = ""; next }
        kind { text = text $0 "\n" }' README.md
    [ -f "$dir/readme1.c" ] && [ -f "$dir/readme2.cc" ] || { echo "README has no program in C, or none in C++"; return 1; }
    ok=0
    for file in "$dir"/readme*.c; do $1 -std=c99 $warn -fsyntax-only -I. "$file" || ok=1; done
    for file in "$dir"/readme*.cc; do for std in c++11 c++14 c++17 c++20; do $1 -x c++ -std=$std $warn -fsyntax-only -I. "$file" || ok=1; done; done
    ! grep -nE '\[[0-9]*\]\) *\{|[{,] *\.[a-z_]+(\[[^]]*\]|\.[a-z_]+)[^ ]* =' README.md || { echo "README: what C++ does not compile"; ok=1; }
    return $ok
}

# Every compiler and standard, the oldest ones optimised (some warnings come from the optimiser alone, and others without it), the config macros, the
# examples in both languages.
check_compilers() {
    bad=0
    apart || return 1
    examples_apart
    for c in $COMPILERS; do
        for std in c99 c11 c++11 c++20; do
            case $std in c99 | c++11) how="-O1 -c -o $dir/all.o" ;; c11) how="-O0 -c -o $dir/all.o" ;; *) how=-fsyntax-only ;; esac
            compile "$c" $std $dir/all $how -Wconversion || bad=1
            compile "$c" $std $dir/api -fsyntax-only -Wconversion || bad=1
            case $std in c99 | c++11) for macro in GPUTRAIN_STATIC GPUTRAIN_CUDA GPUTRAIN_DOUBLE GPUTRAIN_NO_THREADS GPUTRAIN_AS_IS; do
                compile "$c" $std $dir/all -fsyntax-only -D$macro || bad=1
            done ;; esac
        done
        for flag in -ffast-math -ffinite-math-only; do
            ! $c $flag -fsyntax-only -I. $dir/api.c 2>$dir/$flag.log && grep -q 'error.*GPUTRAIN_ALLOW_FAST_MATH' $dir/$flag.log &&
                $c $flag -DGPUTRAIN_ALLOW_FAST_MATH -fsyntax-only -I. $dir/api.c || { echo "$c $flag is not refused, or always"; bad=1; }
        done
        for example in $dir/examples/*.c; do
            $c -std=c99 $warn -Wpedantic -fsyntax-only "$example" && $c -x c++ -std=c++11 $warn -fsyntax-only "$example" || bad=1
        done
        readme_compiles "$c" || bad=1
        for test in tests/programs/test_*.c tests/programs/compose.c tests/programs/oracle.c tests/bench/*.c; do $c -std=gnu11 $warn -fsyntax-only -I. -DGTR_TEST_LINKED "$test" || bad=1; done
    done
    return $bad
}

# Compilers with less: tcc, which has no atomics and so gets no threads, and mingw, for Windows, which must link (and -pthread may stand there).
# A machine whose bytes stand the other way round, and whose long has 32 bits, reads arrays.
check_others() {
    bad=0
    if command -v tcc >/dev/null; then
        tcc -Wall -Werror -I. $dir/all.c -o $dir/tcc -lm -pthread && tcc -Wall -Werror examples/01_smallest.c -o $dir/tcc -lm && $dir/tcc >$dir/tcc.log || bad=1
    else echo "skipped: no tcc"; fi
    if command -v x86_64-w64-mingw32-gcc >/dev/null; then
        for e in "c99 $dir/all.c" "gnu11 examples/02_digits.c"; do
            x86_64-w64-mingw32-gcc -std=$e -O1 $warn -Wpedantic -I. -o $dir/windows.exe -lm -pthread || { echo "mingw -std=$e fails"; bad=1; }
        done
        x86_64-w64-mingw32-gcc -std=c99 -fsyntax-only $warn -Wpedantic -include windows.h -I. $dir/all.c || { echo "mingw behind windows.h fails"; bad=1; }
    else echo "skipped: no x86_64-w64-mingw32-gcc"; fi
    if command -v powerpc-linux-gnu-gcc >/dev/null && command -v qemu-ppc >/dev/null; then
        powerpc-linux-gnu-gcc -O1 -w -static -I. tests/programs/test_readers.c -o $dir/powerpc -lm -pthread -latomic && mkdir -p build &&
            qemu-ppc $dir/powerpc arrays large_files >$dir/powerpc.log || { cat $dir/powerpc.log; bad=1; }
    else echo "skipped: no powerpc-linux-gnu-gcc and qemu-ppc"; fi
    return $bad
}

# Windows, where nothing is run: clang compiles the header as it does for Microsoft's target, and as Microsoft's compiler would (tests/msvc/cl.h), for vectors
# of each width. tests/msvc declares what Microsoft's headers declare. No word that windows.h defines as a macro is a name in either file.
check_msvc() {
    bad=0
    msvc="clang --target=x86_64-pc-windows-msvc -fms-compatibility -fms-extensions -fsyntax-only -isystem tests/msvc"
    # of an enum, which is an int there; of cl's ivdep
    also="-Wconversion -Wno-sign-conversion -Wno-unknown-pragmas"
    printf '#include <stdint.h>\n#include <immintrin.h>\n' | $msvc -D__MM_MALLOC_H -x c - 2>$dir/why || { echo "skipped: no clang with the target and its headers"; return 0; }
    printf 'int of(int far);\nint of(int far) { return far; }\n' >$dir/far.c
    $msvc $dir/far.c && ! $msvc -include windows.h $dir/far.c 2>$dir/far.log || { echo "far is a name behind windows.h, or none without"; bad=1; }
    ! $msvc -D_M_FP_FAST -I. $dir/api.c 2>$dir/fast.log && grep -q 'error.*GPUTRAIN_ALLOW_FAST_MATH' $dir/fast.log || { echo "/fp:fast is not refused"; bad=1; }
    for std in c99 c++14; do
        for how in -DGPUTRAIN_STATIC -DGPUTRAIN_NO_THREADS "-include windows.h -D_CRT_SECURE_NO_WARNINGS" "-mavx2 -mfma" -mavx512f \
            "-include cl.h" "-include cl.h -mavx2 -mfma" "-include cl.h -mavx512f"; do compile "$msvc" $std $dir/all $also $how || bad=1; done
        for how in "-include windows.h" "-include cl.h"; do compile "$msvc" $std $dir/api $also $how || bad=1; done
    done
    sed -nE 's/^#define ([A-Za-z_0-9]+)( .*)?$/\1/p' tests/msvc/words.h >$dir/words
    grep -qwFf $dir/words $dir/far.c || { echo "far is no word of windows.h"; bad=1; }
    LC_ALL=C awk -f tests/strip.awk gputrain_cuda.cu | sed -E 's/"([^"\\]|\\.)*"//g' | grep -wFf $dir/words >$dir/names
    [ ! -s $dir/names ] || { echo "names in gputrain_cuda.cu that windows.h defines:"; cat $dir/names; bad=1; }
    return $bad
}

# A private copy: no warnings, unused or other, and nothing exported; without the implementation it is refused.
check_static() {
    bad=0
    ! $CC -fsyntax-only -DGPUTRAIN_STATIC -I. $dir/api.c 2>$dir/static.log || { echo "GPUTRAIN_STATIC without GPUTRAIN_IMPLEMENTATION is accepted"; bad=1; }
    grep -q 'error.*GPUTRAIN_IMPLEMENTATION' $dir/static.log || { cat $dir/static.log; bad=1; }
    for c in $COMPILERS; do
        for std in c99 c++11; do
            compile "$c" $std $dir/all -O1 -c -DGPUTRAIN_STATIC -o $dir/static.o || bad=1
            names=$(nm -g --defined-only $dir/static.o | awk '{ print $NF }' | grep -vx main)
            [ -z "$names" ] || { echo "exported with GPUTRAIN_STATIC: $names"; bad=1; }
        done
    done
    return $bad
}

# Declarations in one file and the implementation in another, in C and C++ mixed; and two private copies in one program.
check_units() {
    bad=0
    printf '#define GPUTRAIN_IMPLEMENTATION\n#include "gputrain.h"\n' >$dir/lib.c
    printf '#include "gputrain.h"\n#include <string.h>\nint main(void) { gtr_desc d; gtr_context *c; memset(&d, 0, sizeof d); c = gtr_create(d); gtr_destroy(c); return c ? 0 : 1; }\n' >$dir/use.c
    cp $dir/use.c $dir/use.cc
    for k in 1 2; do
        printf '#define GPUTRAIN_STATIC\n#define GPUTRAIN_IMPLEMENTATION\n#include "gputrain.h"\nint copy%d(void);\nint copy%d(void) { gtr_desc d; gtr_context *c; memset(&d, 0, sizeof d); c = gtr_create(d); gtr_destroy(c); return c ? 0 : 1; }\n' $k $k >$dir/copy$k.c
    done
    printf 'int copy1(void); int copy2(void);\nint main(void) { return copy1() + copy2(); }\n' >$dir/copies.c
    $CC -O1 -I. -c $dir/lib.c -o $dir/lib.o || return 1
    $CC $warn -I. $dir/use.c $dir/lib.o -o $dir/use -lm -pthread && $dir/use || bad=1
    ${CXX:-c++} $warn -I. $dir/use.cc $dir/lib.o -o $dir/use -lm -pthread && $dir/use || bad=1
    $CC -O1 $warn -I. $dir/copies.c $dir/copy1.c $dir/copy2.c -o $dir/copies -lm -pthread && $dir/copies || bad=1
    return $bad
}

check_symbols() {
    $CC -O1 -I. -c $dir/all.c -o $dir/all.o || return 1
    names=$(nm -g --defined-only $dir/all.o | awk '{ print $NF }' | grep -vx main | grep -v '^gtr_[a-z]')
    [ -z "$names" ] || { echo "exported beside gtr_: $names"; return 1; }
    macros=$($CC -I. -E -dM -include gputrain.h -x c /dev/null | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort >$dir/with
        $CC -I. -E -dM -include stdbool.h -include stddef.h -include stdint.h -x c /dev/null | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort >$dir/without
        comm -23 $dir/with $dir/without | grep -vE '^(GTR_|GPUTRAIN_)')
    [ -z "$macros" ] || { echo "macros defined beside GTR_ and GPUTRAIN_: $macros"; return 1; }
}

# Who uses the header compiles it: how long that takes, and what comes of it, by gcc. Its levels are its own: user code behind it is what it is alone.
user_seconds() { # turns, command...: the least of so many runs
    turns=$1
    shift
    for turn in $(seq $turns); do ("$@" && times) | awk 'END { split($1, t, /[ms]/); print t[1] * 60 + t[2] }'; done | sort -n | head -n 1
}
check_build() {
    $CC -dM -E -x c /dev/null | grep -q __clang__ && { echo "skipped: $CC is not gcc"; return 0; }
    bad=0 arch=native
    [ "$(uname -m)" != x86_64 ] || arch=x86-64-v3       # one whose bytes any machine finds
    printf 'float user(float *x, int n);\nfloat user(float *x, int n) { float s = 0; for (int i = 0; i < n; i++) { x[i] *= 2; s += x[i & 7]; } return s; }\n' >$dir/user.c
    (cat $dir/all.c $dir/user.c) >$dir/behind.c
    fast=$(user_seconds 2 $CC -O3 -march=$arch -ffunction-sections -I. -c $dir/behind.c -o $dir/behind.o)
    plain=$(user_seconds 2 $CC -O0 -I. -c $dir/all.c -o $dir/plain.o)
    $CC -O3 -march=$arch -ffunction-sections -c $dir/user.c -o $dir/user.o || bad=1
    for o in behind user; do objcopy -O binary -j .text.user $dir/$o.o $dir/$o.bin && [ -s $dir/$o.bin ] || bad=1; done
    cmp $dir/behind.bin $dir/user.bin || { echo "a function behind the header is compiled otherwise than alone"; bad=1; }
    text=$(size $dir/behind.o | awk 'NR == 2 { print $1 }')
    largest=$(nm -S --size-sort $dir/behind.o | grep -i ' t ' | tail -n 1)
    function=${largest##* } largest=$((0x$(echo "$largest" | cut -d ' ' -f 2)))
    echo "-O3 takes $fast s, -O0 $plain (at most 4.6 times as long); text $text bytes (at most 839800), of it $function $largest (at most 20000)"
    [ "$text" -le 839800 ] && [ "$largest" -le 20000 ] && echo "$fast $plain" | awk '{ exit $1 > 4.6 * $2 }' || bad=1
    return $bad
}

check_markers() { sh tests/check_markers.sh; }

# A section calls functions of those above it alone, but for the calls that there still are: who ends one lowers its file's number.
check_order() {
    bad=0
    sh tests/rooms.sh calls >$dir/calls || return 1
    for most in gputrain.h:0 gputrain_cuda.cu:0; do
        line=$(grep "^${most%:*}: .* upward calls among" $dir/calls) && n=${line#*: } && n=${n%% *}
        echo "$line (at most ${most#*:})"
        [ "$n" -le "${most#*:}" ] || { echo "tests/rooms.sh calls --lines says which"; bad=1; }
    done
    return $bad
}

# Faults that `make campaign` plants must have their lines.
check_plants() { sh tests/plant.sh --lines; }

# Nothing switches on an op's number, but for switches that the formula tables expand into (GTR__OP_##ID); nothing asks whether an op is
# a certain one, by == or gtr__is, but for leaves, plan nodes and custom ops, and in the sections of matchers and of the kernels that they put in. The worked diff of tests/README.md is what the files have.
check_ops() {
    for f in gputrain.h gputrain_cuda.cu; do
        [ ! -f $f ] || awk -v file=$f '
            /^\/\/ >>/ { matcher = $2 ~ /^>>(mlp-|resident|tall|thin|chain|match|op:)/ }
            /switch *\(.*[>.]op *\)|case +GTR__OP_[A-Z]/ { print file ":" NR ": " $0; next }
            !matcher && /[!=]= *GTR__OP_[A-Z]|gtr__is\([^()]*, GTR__OP_[A-Z]|GTR__OP_[A-Z_]* *[!=]=/ {
                rest = $0
                while (match(rest, /([!=]=|gtr__is\([^()]*,) *GTR__OP_[A-Z_0-9]+|GTR__OP_[A-Z_0-9]+ *[!=]=/)) {
                    op = substr(rest, RSTART, RLENGTH)
                    gsub(/.*GTR__OP_| *[!=]=$/, "", op)
                    if (op !~ /^(INPUT|PARAMETER|CONSTANT|PART|GRADIENT|CUSTOM|COPY|CAST|FILL|FEED|GUARD|UPDATE|REPORT|CHECK|SUBGRAPH|COUNT)$/) { print file ":" NR ": " $0; break }
                    rest = substr(rest, RSTART + RLENGTH)
                }
            }' $f
    done >$dir/ops
    # the lines of tests/README.md's worked diff, in their order, in the files that it names
    awk '
        /^```/ { worked = $0 == "```diff"; next }
        !worked { next }
        /^[+][+][+] / { file = $2; n = 0; while ((getline line < file) > 0) text[file, ++n] = line; lines[file] = n; next }
        /^@@ / { at = 0; for (i = 1; i <= lines[file]; i++) if (text[file, i] == "// " $3) at = i; if (!at) print "tests/README.md:" FNR ": " file " has no " $3; next }
        { want = substr($0, 2); for (i = at; i <= lines[file] && text[file, i] != want; i++); if (i > lines[file]) print "tests/README.md:" FNR ": not in " file ": " want; else at = i }
        END { if (!FNR) print "no tests/README.md" }' tests/README.md >>$dir/ops
    sh tests/try.sh check >>$dir/ops # rows of tests and generators that make try finds by one name
    [ ! -s $dir/ops ] || { cat $dir/ops; return 1; }
}

# Both files are to be read and to be copied: their bytes count, and the lines of the header's opening. Who makes a file larger says in a line of
# tests/growth.txt by what and why, and what it then has; who makes it smaller by more than 1000 bytes, too. An op needs no line: beyond the last one, each
# may have 6000 bytes of each file.
check_size() {
    bad=0
    doc=$(grep -n '^\*/' gputrain.h | head -n 1 | cut -d: -f1)
    echo "$doc lines of gputrain.h are to be read first (at most 150)"
    [ "$doc" -le 150 ] || bad=1
    ops=$(($(grep -c '^// >>op:' gputrain.h) + $(grep -c '^    X(' tests/programs/elementwise.h)))
    tail -n 1 tests/growth.txt | {
        read -r date header cuda had why
        case $had in ops:*) more=$((ops - ${had#ops:})) ;; *) more=0 ;; esac
        [ $more -gt 0 ] || more=0
        for limit in gputrain.h:"$header" gputrain_cuda.cu:"$cuda"; do
            bytes=$(wc -c <"${limit%:*}") said=${limit#*:}
            echo "${limit%:*} has $bytes bytes, $said by the last line of tests/growth.txt$([ $more -eq 0 ] || echo ", and up to $((6000 * more)) more of $more new ops")"
            [ "$bytes" -le $((said + 6000 * more)) ] && [ "$said" -le $((bytes + 1000)) ] ||
                { echo "tests/growth.txt wants a line: $(date +%F) $(wc -c <gputrain.h) $(wc -c <gputrain_cuda.cu) ops:$ops and what changed and why"; exit 1; }
        done
    } || bad=1
    return $bad
}

# Lines of at most 120 columns, in all that is C; functions that fit a screen, from the line of the brace that opens one to that of the brace
# that closes it, in the two files and the examples (a test's function may be a table and what is done with its rows). Structs of at most 30 fields in the two files (tests/fields.awk). A function ends with
# a brace alone in column 0, or, within a struct, in column 4. In the .cu's device half nothing stands behind what ends at column 1 (its column-1 rule).
check_form() {
    awk -v most=80 '
        FNR == 1 { open = comment = half = 0; whole = FILENAME !~ /^tests/ }
        length > 120 { print FILENAME ":" FNR ": " length " columns (at most 120)" }
        /^\/\*/ { comment = 1 }
        comment { if (/\*\//) comment = 0; next }
        /^#if GTR__DEVICE_HALF/ { half = 1; next }
        half && /^#if/ { half++ }
        half && /^#endif/ { half-- }
        half && /^[^ #\/].*[;}] *(\/\/|\/\*)/ { print FILENAME ":" FNR ": behind the last ; or } of what kernels use stands a comment (the column-1 rule)" }
        !whole { next }
        !open && /^[^ \t#\/}]/ { head = $0 }
        !open && /\{$/ && !/^(#|extern "C")/ { open = FNR; struct = head ~ /^[^(]*(struct|union|enum|=)/; method = 0 }
        open && struct && !method && /^    [^ ].*\{$/ { method = FNR }
        method && /^    \}/ { if (FNR - method >= most) print FILENAME ":" method ": a function of " FNR - method + 1 " lines"; method = 0 }
        open && /^\}/ {
            if (!struct && FNR - open >= most) print FILENAME ":" open ": a function of " FNR - open + 1 " lines: " head
            open = 0
        }' gputrain.h gputrain_cuda.cu examples/*.c tests/*.h tests/*/*.[ch] >$dir/form
    for f in gputrain.h gputrain_cuda.cu; do echo "## $f"; LC_ALL=C awk -f tests/strip.awk $f; done | awk -v most=30 -f tests/fields.awk >>$dir/form
    [ ! -s $dir/form ] || { cat $dir/form; return 1; }
}

# The fuzzer of the API calls each public function (ops by their rows, losses by GTR__LOSSES), and README's table of all functions names it; --write: behind the one that stands in
# front of it in gputrain.h, and what is said of that.
check_functions() {
    sed -n '/^\/\/ >>functions/,/^\/\/ >>backend/p' gputrain.h | grep -oE '^GTR_API [^(]*\bgtr_[a-z0-9_]+\(' | grep -oE 'gtr_[a-z0-9_]+\(' | tr -d '(' >$dir/functions
    if [ "$write" ]; then
        awk 'FNR == NR { name[++n] = "`" $0 "`"; next }
            { line[FNR] = $0; lines = FNR }
            /^## All functions/ { first = FNR }
            /^## Errors/ { last = FNR }
            function place(what,   i) { for (i = first; i <= last; i++) if (index(line[i], what)) return i; return 0 }
            END {
                for (k = 2; k <= n; k++) {
                    i = place(name[k - 1])
                    if (!i || place(name[k])) continue
                    at = index(line[i], name[k - 1]) + length(name[k - 1])
                    if (substr(line[i], at, 2) == " (") for (open = 0; at <= length(line[i]); at++) {
                        c = substr(line[i], at, 1)
                        open += (c == "(") - (c == ")")
                        if (c == ")" && !open) { at++; break }
                    }
                    line[i] = substr(line[i], 1, at - 1) " " name[k] substr(line[i], at)
                }
                for (i = 1; i <= lines; i++) print line[i]
            }' $dir/functions README.md >$dir/README.md || return 1
        cmp -s $dir/README.md README.md || cat $dir/README.md >README.md || return 1
    fi
    sed -n '/^## All functions/,/^## Errors/p' README.md >$dir/named
    sed -n '/^#define GTR__LOSSES/,/[^\\]$/p' gputrain.h | grep -oE 'X\([a-z_0-9]+,' | sed -E 's/X\((.*),/gtr_\1 gtr_\1_ex/' >$dir/losses
    sort -u $dir/functions | while read -r f; do
        grep -qwE "$f" $dir/losses tests/fuzz/fuzz_api.c tests/programs/op_rows.h tests/programs/elementwise.h || echo "$f: neither a row of tests/programs/op_rows.h or tests/programs/elementwise.h nor tests/fuzz/fuzz_api.c calls it"
        grep -q "\`$f\`" $dir/named || echo "$f: README's All functions does not name it (sh tests/check.sh functions --write does)"
    done >$dir/unnamed
    [ ! -s $dir/unnamed ] || { cat $dir/unnamed; return 1; }
}

# Built as users build them, with warnings, the first; the others, whose library is the same, are linked with it.
check_examples() {
    bad=0 from=examples library=""
    examples_apart
    printf '#define GPUTRAIN_IMPLEMENTATION\n#include "gputrain.h"\n' >$dir/library.c
    $CC $CFLAGS -I. -c $dir/library.c -o $dir/library.o || return 1
    for e in 01_smallest 02_digits 04_gan 05_regression 08_segment 09_autoencoder 10_tabular 11_online 12_vae 13_forecast 14_keywords 15_chars; do
        case $e in 08* | 09*) written=$dir/$e.picture ;; 10*) written="examples/penguins.csv $dir/$e.safetensors" ;; 11*) written=$dir/$e.safetensors ;; *) written="" ;; esac
        $CC $CFLAGS $warn $from/$e.c $library -o $dir/$e -lm -pthread && $dir/$e $written >$dir/$e.log 2>&1 || { echo "example $e fails"; tail -n 5 $dir/$e.log; bad=1; }
        tail -n 1 $dir/$e.log
        from=$dir/examples library=$dir/library.o
    done
    [ "$(wc -l <examples/01_smallest.c)" -lt 40 ] || { echo "the smallest example has 40 lines or more"; bad=1; }
    if [ -f build/fashion/train-images-idx3-ubyte ]; then
        $CC $CFLAGS $warn $dir/examples/03_fashion.c $dir/library.o -o $dir/03_fashion -lm -pthread && $dir/03_fashion build/fashion 0 fp32 1 >$dir/03_fashion.log 2>&1
        tail -n 1 $dir/03_fashion.log
    fi
    return $bad
}

# The tests, small, built by $1 with flags $2 (and -g1: enough for the lines of a report), attributes' members apart (tests/attributes.h); WRAP as for
# run.sh.
run_tests() {
    programs="" bad=0 own=$dir/$(basename "${1%% *}")
    mkdir -p "$own" && apart && $1 -g1 -DGTR__ATTR_APART $2 -I. -c build/library.c -o "$own"/library.o || return 1
    for t in tests/programs/test_*.c; do
        o=$own/$(basename "$t" .c) library="-DGTR_TEST_LINKED $own/library.o"
        ! grep -q '^#define GPUTRAIN_' "$t" || library=""
        if $1 -g1 -DGTR__ATTR_APART $2 -I. "$t" $library -o "$o" -lm -pthread 2>"$own"/compile.log; then programs="$programs $o"
        else echo "$1 $2 $t fails"; tail -n 5 "$own"/compile.log; bad=1; fi
    done
    GTR_TEST_SMALL=1 sh tests/run.sh $programs >"$own"/tests.log 2>&1 ||
        { bad=1; grep -v '^SKIP' "$own"/tests.log | tail -n 40; }
    echo "$1: $(tail -n 1 "$own"/tests.log)"
    return $bad
}
each_compiler() { # flags, clang's flags; side by side
    running="" worst=0
    for c in $COMPILERS; do
        case $c in *clang*) run_tests "$c" "$2" & ;; *) run_tests "$c" "$1" & ;; esac
        running="$running $!"
    done
    for p in $running; do wait "$p" || worst=1; done
    return $worst
}
# clang takes six times as long to optimise what it instruments as to leave it be.
check_address() { # but for what asks how long plans take, and how exact pow is
    set -- "-fsanitize=address,undefined -fno-sanitize-recover=all"
    (GTR_TEST_LEAVE="planning_is_linear powers" && export GTR_TEST_LEAVE && each_compiler "-O1 $1" "-O0 $1")
}
check_thread() { each_compiler "-O1 -fsanitize=thread" "-O1 -fsanitize=thread"; }
check_valgrind() { WRAP="valgrind -q --error-exitcode=9 --leak-check=full" run_tests "$CC" "-O1"; }

# The CUDA file on a GPU in software, under the sanitizers of addresses and of undefined behaviour: each op's kernels, a sixteenth of the networks of
# images, where Hopper's own instructions are, an eighth of those of pools, which take the longest, and some chains and layers, of whose kernels one variant each
# is compiled for its network. make test-emulated runs the rest.
emulated() { # tests to leave out, part, make's arguments...
    leave=$1 part=$2
    shift 2
    GTR_TEST_LEAVE=$leave GTR_TEST_PART=$part make --no-print-directory CC="$CC" test-emulated SANITIZE=address,undefined "$@"
}
check_emulated() {
    sh tests/emulated/build.sh includes >$dir/includes || { echo "skipped: $(cat $dir/includes)"; return 0; }
    { emulated '' 0/1 TEXTS=1 EMULATED_TESTS=test_chain NAMES="kept guarded many_gradients declined" &&
        emulated '' 0/1 TEXTS=1 EMULATED_TESTS=test_graphs NAMES=tails &&
        emulated '' 0/1 TEXTS=1 EMULATED_TESTS=test_images NAMES="uneven few_channels" && emulated '' 0/1 TEXTS=0 EMULATED_TESTS=test_ops &&
        emulated "large pools uneven few_channels" 0/16 TEXTS=0 EMULATED_TESTS=test_images &&
        emulated '' 0/8 TEXTS=0 EMULATED_TESTS=test_images NAMES=pools; } >$dir/log 2>&1
    rc=$?
    tail -n "$([ $rc -eq 0 ] && echo 1 || echo 40)" $dir/log
    return $rc
}

# Graphs of every builder, computed in ways that must not matter, for so many seconds of a core; on the CPU, for a third of them in double, where gradients are
# compared with differences, and on the GPU in software, where there are CUDA's headers. A builder without a generator fails.
check_compose() {
    for b in $(sed -n '/^\/\/ >>functions/,/^\/\/ >>backend/p' gputrain.h | grep -oE '^GTR_API gtr_tensor \*gtr_[a-z0-9_]+' | sed 's/.*\*gtr_//' | grep -vxE 'input|parameter|constant|parameter_at|parameter_find'); do
        grep -qE "(GENERATOR|UNARY_JUMPS)\($b[,)]|PAIR_LOSS\(${b%_ex}," tests/programs/builders.h || { echo "tests/programs/builders.h has no generator for gtr_$b"; return 1; }
    done
    for way in '' -DGPUTRAIN_DOUBLE; do
        seconds=$((${COMPOSE_SECONDS:-90} * $([ "$way" ] && echo 1 || echo 2) / 3))
        $CC -O1 -march=native -w -DGTR__ATTR_APART $way tests/programs/compose.c -o $dir/compose -lm -pthread && $dir/compose seconds=$seconds seed="${SEED:-1}" >$dir/log
        rc=$?
        grep -E '^graph|graphs,|beside differences' $dir/log | head -n 40
        [ $rc -eq 0 ] || return $rc
    done
    sh tests/emulated/build.sh includes >$dir/includes || return 0
    make --no-print-directory CC="$CC" build/emulated-90a/compose >$dir/log 2>&1 && build/emulated-90a/compose device=cuda seconds="${COMPOSE_SECONDS:-90}" seed="${SEED:-1}" >$dir/log
    rc=$?
    grep -E '^graph|graphs,|rror' $dir/log | head -n 40
    return $rc
}

# A program that has the CUDA file inside, linked by a C compiler, and no library of CUDA's.
cuda_program() { # its name, level, objects...
    program=$1 level=$2
    shift 2
    sh tests/emulated/build.sh includes >$dir/includes || { echo "skipped: $(cat $dir/includes)"; return 0; }
    cuda=$(sed 's/-isystem //; s/.include$//' $dir/includes)
    g++ -std=c++17 $level -fno-exceptions -fno-rtti -Wall -Wextra -Werror $(cat $dir/includes) -c tests/programs/$program.cpp -o $dir/$program.o &&
        $CC $dir/$program.o "$@" -o $dir/$program -lm -ldl -lpthread
}
# The one that tries what is opened and made at run time.
kernels_built() { rm -rf $dir/cache; cuda_program kernels -O1; }
# Drivers old, new and none; each kernel compiles for old and new architectures, and the cache and sealed lists hold what they promise.
check_kernels() { kernels_built && { [ ! -f $dir/kernels ] || CUDA_PATH=$cuda $dir/kernels tests/tables/kernels.txt "$PWD/$dir"/cache sm_90a "sm_75:$(($(cksum <gputrain_cuda.cu | cut -d ' ' -f 1) % 3))/3"; }; }
# The cache by many at once, and by writers that are killed so often.
check_cache() { kernels_built && { [ ! -f $dir/kernels ] || CUDA_PATH=$cuda $dir/kernels many "$PWD/$dir"/cache "$((${KILLS:-200} + 1))"; }; }

# What users' networks have compiled: how many variants, of how many PTX instructions, within the limits of tests/tables/variants.txt; and what g++ takes for the CUDA
# file, warnings as errors. Seconds are of a core, and bounded as a ratio that a busy machine keeps.
check_variants() {
    $CC -std=gnu11 $warn -Wno-unused-function -I. -c tests/programs/variants.c -o $dir/networks.o && cuda_program variants -O0 $dir/networks.o || return 1
    [ -f $dir/variants ] || return 0
    bad=0 optimized="g++ -std=c++17 -x c++ -O2 -fno-exceptions -fno-rtti -I. $(cat $dir/includes) -o $dir/optimized.o -c"
    { printf '#define GPUTRAIN_BACKEND\n#include "gputrain.h"\n'; grep '^#include <' gputrain_cuda.cu | grep -v windows.h; } >$dir/empty.cc
    whole=$(user_seconds 1 $optimized gputrain_cuda.cu $warn) empty=$(user_seconds 2 $optimized $dir/empty.cc)
    echo "$whole $empty" | awk '{ printf "g++ -O2 takes %.1f s, %.0f times as long as for the headers alone (at most 100)\n", $1, $1 / $2; exit !($1 > 0) || $1 > 100 * $2 }' || bad=1
    CUDA_PATH=$cuda $dir/variants tests/tables/variants.txt || bad=1
    return $bad
}

# The readers of files and the whole API against libFuzzer, FUZZ_SECONDS each (12), AT_A_TIME of them side by side (2); the readers against an independent
# validator. Without clang's libFuzzer the API's calls are drawn from a seed. clang takes most of a minute to optimise a fuzzer, which then makes two and a
# half times as many inputs: for less than a minute of them it does not.
fuzz() { # source
    o=$dir/$(basename "$1" .c) flags="-max_len=1024 -dict=tests/fuzz/fuzz.dict" library="-DGTR_TEST_LINKED $dir/library.o"
    [ "$1" != tests/fuzz/fuzz_api.c ] || { library="" flags="-max_len=1024 -len_control=0 -timeout=100 -detect_leaks=0"; } # it counts its allocations itself
    $fuzzer -fsanitize=fuzzer "$1" $library -o "$o" -lm -pthread &&
        "$o" $flags -max_total_time="${FUZZ_SECONDS:-12}" -artifact_prefix="$o-" >"$o.log" 2>&1 && return
    grep -vE '^#|^\t' "$o.log" | tail -n 30
    return 1
}
check_fuzz() {
    bad=0 running="" n=0
    if printf 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n);\nint LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return !p && n; }\n' |
        clang -x c -fsanitize=fuzzer - -o $dir/fuzz 2>/dev/null; then
        fuzzer="clang -w -g $([ "${FUZZ_SECONDS:-12}" -lt 60 ] && echo -O0 || echo -O1) -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
        apart && $fuzzer -I. -c build/library.c -o $dir/library.o || return 1
        for t in tests/fuzz/fuzz_*.c; do
            fuzz "$t" &
            running="$running $!" n=$((n + 1))
            [ $n -lt "${AT_A_TIME:-2}" ] || { for p in $running; do wait "$p" || bad=1; done; running="" n=0; }
        done
        for p in $running; do wait "$p" || bad=1; done
        for t in tests/fuzz/fuzz_*.c; do echo "$(basename "$t"): $(grep -E '^(#|Done|[0-9]+ calls)' "$dir/$(basename "$t" .c).log" | tail -n 1)"; done
    else
        echo "no clang with -fsanitize=fuzzer: the readers are skipped"
        $CC -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -DFUZZ_MAIN tests/fuzz/fuzz_api.c -o $dir/fuzz_api -lm -pthread &&
            $dir/fuzz_api "$(date +%s)" 1000000000 "${FUZZ_SECONDS:-12}" >$dir/fuzz_api.log 2>&1 || bad=1
        tail -n 5 $dir/fuzz_api.log
    fi
    $CC -O1 -I. tests/programs/test_files.c -o $dir/test_files -lm -pthread && $dir/test_files --mutants 20000 | python3 tests/fuzz/verdict_safetensors.py || bad=1
    return $bad
}

# tests/cuda-verified must hold a line of every shard with the hashes of these very sources. Who changes them may have no GPU: among
# all checks this one warns, and it fails where it is asked for by name.
named=$#
check_verified() {
    bad=0
    for shard in native ptx75 ptx80 sm8 sanitize; do
        lines=$(grep " $shard: " tests/cuda-verified 2>/dev/null)
        sh tests/hash.sh >$dir/hash
        while read -r h f; do lines=$(echo "$lines" | grep "$h $f"); done <$dir/hash
        [ -n "$lines" ] || { echo "tests/cuda-verified has no line of shard $shard for these sources: make test-cuda SHARD=$shard RECORD=tests/cuda-verified"; bad=1; }
    done
    [ $bad -eq 0 ] || [ "$named" -gt 0 ] || { echo "warning: a GPU has not run these sources; this fails only as make check CHECKS=verified"; bad=0; }
    return $bad
}

write=""
for name in "$@"; do [ "$name" != --write ] || write=1; done
for name in ${*:-$all}; do
    [ "$name" != --write ] || continue
    command -v check_"$name" >/dev/null || { echo "no check $name: there are $all"; failed="$failed $name"; continue; }
    start=$(date +%s)
    echo "-- $name"
    sources "$name"
    if check_"$name"; then echo "ok   $name, $(($(date +%s) - start)) s"; else echo "FAIL $name"; failed="$failed $name"; fi
done
if [ -n "$failed" ]; then echo "failed:$failed"; exit 1; fi
echo "all checks passed"
