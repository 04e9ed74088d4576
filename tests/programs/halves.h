/* Between a step's halves replicas sum their gradients. Whether some node of the plan has a part in both, so that it
   uses gradients that nobody summed, and whether some gradient is lookups, which no sum is made of. */
static bool spans_halves(const gtr__plan *p)
{
    bool any = false;
    for (int i = 0; i < p->n_node; i++) {
        const gtr__node *n = &p->node[i];
        const gtr__subgraph *s = n->op == GTR__OP_SUBGRAPH ? (const gtr__subgraph *)n->attr.ptr : NULL;
        for (int k = 0; s && k < s->n_node; k++)
            any |= (s->node[k].phase >= GTR__REDUCE) != (s->node[0].phase >= GTR__REDUCE);
    }
    return any;
}
static bool has_lookups(const gtr__plan *p) { return p->looked_up.n > 0; }
