/* Cuts what translate.c made of the CUDA file into units that are compiled one by one, so that an edit compiles
   again the units that see it, few where it is an op's kernel or launcher. A unit has the functions of its own
   sections that are neither inline nor templates, and whatever these name, and what that names: types, templates,
   inline functions and variables whole, other units' functions as prototypes. To be seen by other units functions
   and templates are static no more; static variables become inline, one for all units. What comes from the CUDA file
   has hidden visibility, but for what is extern.
   usage: split PREFIX SECTION... <translated: unit k, PREFIXk.cpp, begins at the k-th section (0: in front of the
   first). Prints, for each, k and a hash of its text, in which line markers do not count: they alone change where
   lines shift. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece of the text at namespace level. [from, head) is what stands in front of its body or its semicolon. */
enum { STATIC = 1, INLINE = 2, TEMPLATE = 4, TYPE = 8, VALUE = 16, CALL = 32, EXTERN = 64, USING = 128, ALWAYS = 256,
       BODY = 512 };
typedef struct { char *from, *head, *to, *at_static; int words, names, own, hidden, wanted; } piece;
/* A name that a piece declares: by its hash, the next that is like it. */
typedef struct { const char *name; size_t length; int piece, next; } name;
enum { UNITS = 64, SLOTS = 1 << 16 };

static char *text, *at, *end;
static piece *pieces;
static name *names;
static int n_pieces, n_names, units, slot[SLOTS];
static int ours; /* whether what is at `at` comes from the CUDA file or stands beside this one */

static int is_word(int c) { return isalnum(c) || c == '_'; }
static int begins(const char *p, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && !memcmp(p, word, n) && !is_word((unsigned char)p[n]);
}
static int is_marker(const char *p) { return *p == '#' && p[-1] == '\n'; }
static char *line_end(char *p)
{
    char *stop = memchr(p, '\n', (size_t)(end - p));
    return stop ? stop : end;
}
/* Behind the literal, number, line marker or brackets that begin at p; behind p, if none does. */
static char *skip(char *p)
{
    int depth = 0;
    do {
        if (*p == '"' || *p == '\'') {
            char quote = *p++;
            while (p < end && *p != quote) p += *p == '\\' ? 2 : 1;
        } else if (is_marker(p)) p = line_end(p);
        else if (isdigit((unsigned char)*p) && !is_word((unsigned char)p[-1])) /* 1'000 is no literal */
            while (is_word((unsigned char)p[1]) || (p[1] == '\'' && is_word((unsigned char)p[2]))) p++;
        else if (strchr("([{", *p)) depth++;
        else if (strchr(")]}", *p)) depth--;
        p++;
    } while (depth > 0 && p < end);
    return p;
}
static int has_arguments(const char *p)
{
    return begins(p, "__attribute__") || begins(p, "alignas") || begins(p, "decltype");
}
/* Behind the < ... > of a template that begins at p. */
static char *skip_angles(char *p)
{
    int depth = 0;
    do {
        if (*p == '<') depth++;
        if (*p == '>') depth--;
        p = strchr("([{\"'", *p) ? skip(p) : p + 1;
    } while (depth > 0 && p < end);
    return p;
}
/* What a word in front of a body says of its piece. */
static void read_word(piece *p, char *q)
{
    static const struct { const char *word; int says; } said[] = {
        { "inline", INLINE }, { "constexpr", INLINE }, { "template", TEMPLATE }, { "extern", EXTERN },
        { "operator", ALWAYS }, { "typedef", USING }, { "using", USING }, { "static_assert", USING | ALWAYS },
        { "struct", TYPE }, { "class", TYPE }, { "union", TYPE }, { "enum", TYPE } };
    size_t k;
    if (begins(q, "static") && !p->at_static && !(p->words & CALL)) { p->words |= STATIC; p->at_static = q; }
    for (k = 0; k < sizeof said / sizeof *said; k++)
        if (begins(q, said[k].word)) p->words |= said[k].says;
}
/* Reads the piece at `at`. False: it opens a namespace or extern "C", whose contents are pieces; `to` is behind it. */
static int read_piece(piece *p)
{
    char *q = at, *last = at;
    memset(p, 0, sizeof *p);
    p->from = at;
    while (q < end && *q != ';') {
        if (isspace((unsigned char)*q)) { q++; continue; }
        if (is_marker(q)) { q = line_end(q); continue; }
        if (*q == '{') {
            if ((p->words & EXTERN && last[-1] == '"') || begins(p->from, "namespace")) { p->to = q + 1; return 0; }
            if (!p->head) p->head = q;
            q = last = skip(q);
            if (p->words & CALL && !(p->words & VALUE)) { p->words |= BODY; break; }
        } else if (has_arguments(q)) q = last = skip(strchr(q, '('));
        else if (is_word((unsigned char)*q)) {
            if (!p->head) read_word(p, q);
            while (is_word((unsigned char)*q)) q++;
            last = q;
            p->names++;
        } else if (*q == '<' && (p->words & TEMPLATE) && !(p->words & CALL)) {
            q = last = skip_angles(q);
            if (!(p->words & ~(TEMPLATE | TYPE))) p->words &= ~TYPE; /* template <class T> */
        } else {
            if (*q == '=') p->words |= VALUE;
            if (*q == '(' && !(p->words & VALUE)) p->words = (p->words & ~TYPE) | CALL; /* struct x f(...) */
            q = last = strchr("([\"'", *q) ? skip(q) : q + 1;
        }
    }
    if (!p->head) {
        p->head = q;
        if (p->names > 2 && !(p->words & (USING | TEMPLATE))) p->words &= ~TYPE; /* struct x y; */
    }
    p->to = *q == ';' && !(p->words & BODY) ? q + 1 : q;
    return 1;
}
static unsigned hash_of(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    while (n--) h = (h ^ (unsigned char)*s++) * 16777619u;
    return (h ^ h >> 16) & (SLOTS - 1);
}
/* Calls f with each word of [p, to) outside of literals and line markers. */
static void each_word(char *p, char *to, int piece, void (*f)(const char *, size_t, int))
{
    while (p < to) {
        char *word = p;
        if (is_marker(p)) { p = line_end(p); continue; }
        if (!isalpha((unsigned char)*p) && *p != '_') { p = strchr("([{", *p) ? p + 1 : skip(p); continue; }
        while (p < to && is_word((unsigned char)*p)) p++;
        f(word, (size_t)(p - word), piece);
    }
}
static void declare(const char *word, size_t length, int piece)
{
    unsigned h = hash_of(word, length);
    name *n;
    names = realloc(names, (size_t)(n_names + 1) * sizeof *names);
    n = &names[n_names];
    n->name = word; n->length = length; n->piece = piece; n->next = slot[h];
    slot[h] = ++n_names;
}
static int *queue, queued, unit_now;
static void want(int k) { if (pieces[k].wanted != unit_now) { pieces[k].wanted = unit_now; queue[queued++] = k; } }
static void want_word(const char *word, size_t length, int piece)
{
    int i;
    (void)piece;
    for (i = slot[hash_of(word, length)]; i; i = names[i - 1].next)
        if (names[i - 1].length == length && !memcmp(names[i - 1].name, word, length)) want(names[i - 1].piece);
}
/* The word in front of a function's arguments; NULL: there is none. */
static char *function_name(const piece *p, size_t *length)
{
    char *q = p->from, *word = NULL;
    while (q < p->head && *q != '(') {
        if (has_arguments(q)) q = skip(strchr(q, '('));
        else if (*q == '<' && p->words & TEMPLATE) q = skip_angles(q);
        else if (is_word((unsigned char)*q)) for (word = q, *length = 0; is_word((unsigned char)*q); q++) ++*length;
        else q++;
    }
    return word;
}
/* A function declares the word in front of its arguments; a type its tag and what stands behind its body, an enum its
   values; another piece all words of its head. */
static void declare_names(int k)
{
    piece *p = &pieces[k];
    char *word, *stop;
    size_t length;
    if (p->words & CALL) {
        if ((word = function_name(p, &length))) declare(word, length, k);
        if (!(p->words & USING)) return;
    }
    each_word(p->from, p->head, k, declare);
    if (!(p->words & VALUE) && p->head < p->to && *p->head == '{') {
        stop = skip(p->head);
        if (strstr(p->from, "enum") && strstr(p->from, "enum") < p->head) each_word(p->head, stop, k, declare);
        each_word(stop, p->to, k, declare);
    }
}
/* Whether one unit alone may define it: a function neither inline nor a template, a variable that is not static. */
static int is_function(const piece *p) { return (p->words & CALL) && !(p->words & (TYPE | VALUE | USING)); }
static int is_single(const piece *p)
{
    if (p->words & (INLINE | TEMPLATE | USING | ALWAYS)) return 0;
    if (p->words & EXTERN && !(p->words & (VALUE | BODY))) return 0;
    return is_function(p) ? p->words & BODY : !(p->words & (TYPE | STATIC));
}
static FILE *out;
static uint64_t sum;
static void put(const char *p, const char *to)
{
    fwrite(p, 1, (size_t)(to - p), out);
    for (; p < to; p++) {
        if (is_marker(p) && p[1] == ' ') while (p < to && *p != '\n') p++;
        if (p < to && !isspace((unsigned char)*p)) sum = (sum ^ (unsigned char)*p) * 1099511628211u;
    }
}
static void put_text(const char *s) { put(s, s + strlen(s)); }
static void put_piece(const piece *p)
{
    const int outside = is_single(p) && p->own != unit_now - 1, function = is_function(p);
    const char *instead = function ? "" : "inline";
    if (outside && !function) return;
    if (p->at_static && !(p->words & (INLINE | USING)) && !(p->words & TYPE)) {
        put(p->from, p->at_static);
        put_text(instead);
        put(p->at_static + strlen("static"), p->head);
    } else put(p->from, p->head);
    if (outside) put_text(";");
    else put(p->head, p->to);
}
static void write_unit(const char *prefix, int unit)
{
    char path[1024], *p = text + 1;
    int k;
    snprintf(path, sizeof path, "%s%d.cpp", prefix, unit);
    if (!(out = fopen(path, "w"))) { perror(path); exit(1); }
    sum = 14695981039346656037u;
    unit_now = unit + 1;
    for (queued = k = 0; k < n_pieces; k++)
        if ((pieces[k].words & ALWAYS) || (is_single(&pieces[k]) && pieces[k].own == unit)) want(k);
    for (k = 0; k < queued; k++) {
        const piece *w = &pieces[queue[k]];
        each_word(w->from, is_single(w) && w->own != unit ? w->head : w->to, queue[k], want_word);
    }
    for (k = 0; k < n_pieces; k++) {
        put(p, pieces[k].from);
        if (pieces[k].hidden && !(k && pieces[k - 1].hidden)) put_text("\n#pragma GCC visibility push(hidden)\n");
        if (!pieces[k].hidden && k && pieces[k - 1].hidden) put_text("\n#pragma GCC visibility pop\n");
        if (pieces[k].wanted == unit_now) put_piece(&pieces[k]);
        p = pieces[k].to;
    }
    put(p, end);
    if (fclose(out)) { perror(path); exit(1); }
    printf("%d %016llx\n", unit, (unsigned long long)sum);
}
static char **begin; /* what begins unit 1, 2, ... */
static int begun;   /* how many have */
static int begins_unit(const char *s, size_t length)
{
    if (begun + 1 >= units || strlen(begin[begun]) != length || memcmp(begin[begun], s, length)) return 0;
    return ++begun;
}
int main(int argc, char **argv)
{
    size_t n = 1, room = 1 << 24, got;
    int k, own = 0, hidden = 0; /* hidden: what is at `at` comes from the CUDA file */
    units = argc - 1;
    begin = argv + 2;
    if (argc < 3 || units > UNITS) { fprintf(stderr, "usage: split PREFIX SECTION... <translated\n"); return 2; }
    text = malloc(room + 1);
    text[0] = '\n';
    while (text && (got = fread(text + n, 1, room - n, stdin)) > 0)
        if ((n += got) == room) text = realloc(text, (room *= 2) + 1);
    if (!text) return 1;
    text[n] = 0;
    for (at = text + 1, end = text + n; at < end;) {
        piece p;
        if (is_marker(at)) {
            char *stop = line_end(at), *file = memchr(at, '"', (size_t)(stop - at)), *section;
            if (file) {
                static const char cuda[] = "gputrain_cuda.cu", folder[] = "tests/emulated/";
                hidden = !strncmp(file + 1, cuda, strlen(cuda));
                ours = hidden || !strncmp(file + 1, folder, strlen(folder));
                section = hidden ? strstr(file, ">>") : NULL;
                if (section && section < stop && (k = begins_unit(section + 2, strcspn(section + 2, "\"")))) own = k;
            }
            at = stop;
        } else if (!ours) at = line_end(at);
        else if (isspace((unsigned char)*at) || *at == '}' || *at == ';') at++;
        else {
            if (read_piece(&p)) {
                p.own = own;
                p.hidden = hidden && !(p.words & EXTERN);
                pieces = realloc(pieces, (size_t)(n_pieces + 1) * sizeof *pieces);
                pieces[n_pieces++] = p;
            }
            at = p.to;
            continue;
        }
        if (at < end && *at == '\n') at++;
    }
    if (begun + 1 < units) { fprintf(stderr, "split: %s is not there, or out of order\n", begin[begun]); return 1; }
    queue = malloc((size_t)(n_pieces + 1) * sizeof *queue);
    for (k = 0; k < n_pieces; k++) declare_names(k);
    for (k = 0; k < units; k++) write_unit(argv[1], k);
    return 0;
}
