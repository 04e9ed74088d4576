#!/bin/sh
# Plants one fault at a time in a copy of the header, in one line, and runs tests/programs/test_torch.c with it: each must be found.
# usage: plant.sh [name...]: those whose names have a word in them. CC as for make; GTR_GRAPHS: another file of cases. Last line: N of N found.
#        plant.sh --lines: only whether each is still one line of the header, and each of tests/tables/planted.txt one of its file.
#        plant.sh --compose [seconds [word]]: those of tests/tables/planted.txt, whose names have a word in them, by tests/programs/compose.c, so many seconds of a core each (90); those of the .cu on the GPU in software.
cd "$(dirname "$0")/.." || exit 1
dir=build/plant
mkdir -p $dir/tests && cp -r tests/*.h tests/programs tests/tables tests/generate $dir/tests || exit 1
faults() { # a name, and what sed does to exactly one line
    cat <<'END'
forward of gelu: s/^    U(X, GELU, gelu, GTR__FOLLOW | GTR__X0, GTR__C(0.5) \* x/&*GTR__C(1.0001)/
forward of softmax: s/f = (gtr_float)(1 \/ (blank/f = (gtr_float)(1.0001 \/ (blank/
forward of concat: s/gtr__copy_rows(cpu, p, run, w, row, outer, run, whole->add);/gtr__copy_rows(cpu, k > 1 ? (gtr_float *)part[1].data : p, run, w, row, outer, run, whole->add);/
output of a split: s/else if (p) gtr__copy_rows(cpu, w, row, p, run, outer, run, part\[k\].add);/else if (p) gtr__copy_rows(cpu, k > 2 ? w - run : w, row, p, run, outer, run, part[k].add);/
forward of argmax: s/if (v > m || (v != v && m == m)) best = i;/if (v < m || (v != v \&\& m == m)) best = i;/
backward of tanh: s/GTR__TANHF(x), dy \* (1 - y \* y))/GTR__TANHF(x), dy * (1 - y))/
backward of matmul: s/d.n, d.m, d.items, a, gtr__matrix_t(d.a), dy, y, &c->out\[1\], tb);/d.n, d.m, d.items, a, gtr__matrix_t(d.a), dy, y, \&c->out[1], !tb);/
backward of softmax: s/gtr__dot_run(y, dy, n) \/ (stored/gtr__sum_run(dy, n) \/ (stored/
backward of embedding: s/for (int64_t j = 0; j < n; j++) d\[j\] += dy\[j\];/for (int64_t j = 0; j < n; j++) d[j] = dy[j];/
backward of bce: s/^\( *g \* (GTR__C(1) \/ (GTR__C(1) + GTR__EXPF(-a)) - b), \)-g \* a)/\1g * a)/
second use of a tensor: s/for (k = 0; k < n_extra; k++) gtr__accumulate(b, extra_dst\[k\], extra_src\[k\], 1, true);/for (k = 0; k < n_extra; k++) gtr__accumulate(b, extra_dst[k], extra_src[k], 1, false);/
sum of a broadcast gradient: s/const bool whole = c->in\[k\].count == c->in\[3\].count;/const bool whole = c->in[k].count == c->in[3].count || c->in[k].shape.ndim == 0;/
mean over axes: s/const double factor = mean ? (double)y.count/const double factor = mean ? (double)GTR__MAX(y.count, 2)/
micro-batch's weight: s/== GTR__OP_GRADIENT ? 1 : (double)rows \/ (double)b->r->batch;/== GTR__OP_GRADIENT ? 1 : 1 \/ (double)b->r->micro;/
count of ignored labels, a step's: s/counted += gtr__in_ints(c, 0)\[i\] < c->attr->loss.ignore_from ||/counted += gtr__in_ints(c, 0)[i] <= c->attr->loss.ignore_from ||/
share of a micro-batch's labels: s/(double)tally\[0\] \* (double)c->in\[1\].count/(double)tally[0] * (double)counted/
micro-batch's rows: s/b->rows = gtr__first_row(b->r, m + 1, parts) - b->row0;/b->rows = b->r->batch \/ parts;/
kept value's offset: s/x->offset = (size_t)(gtr__count(&x->shape) \/ b->rows \* b->row0)/x->offset = (size_t)(gtr__count(\&x->shape) \/ b->rows * b->micro)/
gradient by an alias: s/b->extra\[v\].as_variable = GTR__V(v).home == GTR__HOME_ALIAS;/b->extra[v].as_variable = false;/
copy between stages, backward: s/GTR__CPU_BOTH(copy, gtr__convert_run(cpu, &c->in\[back ? 2 : 0\]/GTR__CPU_BOTH(copy, gtr__convert_run(cpu, \&c->in[0]/
masks of micro-batches: s/const int64_t counted = a->linear ? 0 : row0 + gtr__in_whole(a, row)/const int64_t counted = a->linear ? 0 : gtr__in_whole(a, row)/
recomputed value: s/^\( *\)at\[owner\[v\]\] = i;/\1at[owner[v]] = GTR__MAX(at[owner[v]], i);/
running variance: s/unbias = n > 1 ? n \/ (n - 1) : 1;/unbias = 1;/
momentum: s/      p = GTR__O_FMA(k.step, GTR__O_FMA(k.mu, a, d), p))/      p = GTR__O_FMA(k.step, a, p))/
Adam's correction: s/1 \/ sqrt(1 - power((o)->beta2, t)) : 1)/1 \/ sqrt(1 - power((o)->beta2, t + 1)) : 1)/
decoupled decay: s/? 1 - (lr) \* (o)->weight_decay\[i\] : 1)/? 1 - (o)->weight_decay[i] : 1)/
clip: s/o->clip \/ (norm + 1e-6) < 1 ? o->clip \/ (norm + 1e-6) : 1)/o->clip \/ (norm + 1e-6) < 1 ? o->clip \/ norm \/ 1.001 : 1)/
schedule: s/(1 + cos(3.14159265358979323846 \* gtr__fraction_done(a)))/(1 + cos(3.14159265358979323846 * gtr__fraction_done(a) * 0.99))/
warm-up: s/(double)(s + 1) \/ (double)d->warmup_steps/(double)s \/ (double)d->warmup_steps/
groups: s/for (g = own_group - 1; g >= 0; g--) if/for (g = 0; g < t->n_groups - 1; g++) if/
cast to bfloat16: s/rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;/rounded = (u + 0x17fffu + (u >> 16 \& 1u)) >> 16 \& 0xfff0u;/
cast to float16: s/normal = (a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13;/normal = (a - 0x38000000u + 0xfffu) >> 16 << 3;/
loss scale: s/: 1) \/ scale);/: 1) \/ GTR__MAX(scale, 512));/
predictor of rows that act on each other: s/\*apart = \*apart && rows\[p->of\[GTR__OUT\]\[k\]->id\] == APART;/*apart = *apart \&\& rows[p->of[GTR__OUT][k]->id] != NONE;/
tail batch of a set: s/rows = (double)GTR__MIN(batch, data->rows - (int64_t)(done - first) \* batch);/rows = (double)batch;/
END
}
lines_of() { # of the header that the fault changes, in a copy
    sed "${1#*: }" gputrain.h >$dir/gputrain.h
    diff gputrain.h $dir/gputrain.h | grep -c '^>'
}
# Each of tests/tables/planted.txt: its file, name and what sed does to it, given to a command.
planted() { grep -v '^#' tests/tables/planted.txt | grep "$word" | while IFS="$(printf '\t')" read -r file name by; do "$@" "$file" "$name" "$by" || echo "$name" >>$dir/missed; done; }
one_line() { [ "$(sed "$3" "$1" | diff "$1" - | grep -c '^>')" -eq 1 ] || { echo "tests/tables/planted.txt: $2 is no line of $1 any more"; return 1; }; }
compose() { # seconds, file, name, what sed does
    cp gputrain.h gputrain_cuda.cu $dir && sed "$4" "$2" >"$dir/$2"
    if [ "$2" = gputrain.h ]; then ${CC:-cc} -O1 -w -DGTR__ATTR_APART -march=native $dir/tests/programs/compose.c -o $dir/compose -lm -pthread && set -- "$@" cpu
    else
        cp Makefile $dir && mkdir -p $dir/tests/emulated && cp tests/emulated/* $dir/tests/emulated &&
            make -s -C $dir build/emulated-90a/compose >$dir/log 2>&1 && cp $dir/build/emulated-90a/compose $dir && set -- "$@" cuda
    fi || { echo "$3: does not compile"; return 1; }
    (cd $dir && timeout $((10 * $1)) ./compose device=$5 seconds="$1" stop=1 >log 2>&1) && { echo "$3: was NOT FOUND"; return 1; }
    echo "$3: found$(grep -m 1 '^graph' $dir/log | cut -c 6-100)"
}
if [ "$1" = --compose ]; then
    rm -f $dir/missed
    word=$3
    planted compose "${2:-90}"
    [ ! -f $dir/missed ]
    exit
fi
if [ "$1" = --lines ]; then
    rm -f $dir/missed
    planted one_line
    [ ! -f $dir/missed ] || exit 1
    faults | (
        bad=0
        while IFS= read -r line; do
            lines=$(lines_of "$line")
            [ "$lines" -eq 1 ] || { echo "tests/plant.sh: ${line%%: s/*} is no line of the header any more ($lines changed)"; bad=1; }
        done
        exit $bad
    )
    exit
fi
found=0 tried=0
faults | while IFS= read -r line; do
    name=${line%%: s/*}
    wanted=$([ $# -gt 0 ] || echo yes)
    for word in "$@"; do case $name in *"$word"*) wanted=yes ;; esac; done
    [ "$wanted" ] || continue
    tried=$((tried + 1))
    lines=$(lines_of "$line")
    if [ "$lines" -ne 1 ]; then result="is no line of the header any more ($lines changed)"
    elif ! awk -v whole=1 -f tests/generate/private.awk $dir/gputrain.h >$dir/library.c || ! ${CC:-cc} -O1 -I. $dir/tests/programs/test_torch.c $dir/library.c -o $dir/test_torch -lm -pthread 2>$dir/log; then result="does not compile: $(head -n 1 $dir/log)"
    elif GTR_TEST_DEVICE=cpu timeout 120 $dir/test_torch >$dir/log 2>&1; then result="was NOT FOUND"
    else
        cases=$(grep -oE 'FAIL [^ ]+ seed [0-9]+' $dir/log | sort -u | wc -l)
        result="found $([ "$cases" -eq 0 ] && echo 'as a crash' || echo "by $cases cases")"
        found=$((found + 1))
    fi
    echo "$name: $result"
    echo "$found of $tried found" >$dir/count
done
tail -n 1 $dir/count
[ "$(cut -d ' ' -f 1 $dir/count)" = "$(cut -d ' ' -f 3 $dir/count)" ]
