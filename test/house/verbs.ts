// The verbs that names of functions begin with.
export const verbs = new Set(
  `accept accepts acquire add admit advance answer append apply ask assert attach authenticate await batch begin bind bound bridge broadcast build bump bundle
   cache cancel can change check choose claim clean clear clone close coerce collect combine compare compile complete compose compress compute confirm connect convert copy
   count create cut decide decode decompress deduplicate define delete describe detect digest discard distribute divide drain draw drop
   encode end ensure enter escape estimate evaluate examine execute expand expect explain export expose extend extract
   fetch fill filter find finish fit flatten flush fold follow forget format gather generate get grant group guard guess handle has hash hide hold
   identify ignore import include index infer inform insert inspect install intersect invite is isolate issue join judge jump keep kill
   label launch leave let limit link list listen load locate lock log look lookup make map mark mask match matches may measure memoize merge migrate mount move must
   name narrow need negate normalize note notify offer omit open order pack pad page parse pass patch pause pay pick pin place plan prefer prepare preload price print probe project prune publish put
   qualify query queue quote raise rank read rebuild receive recognize reconnect record redact redirect reduce refill refresh refuse register reject release reload relocate remember remove rename render repair
   repeat replace reply report require reserve reset reshape resolve respond restart restore resume retry return reverse revoke rewrite roll round route run
   sanitize save scale scan scope schedule score search seed select send serialize serve set settle shape share should show shuffle shut sign signal size skip slice sort spawn split spread start stop store stream
   stringify strip submit subscribe subtract succeed suggest sum supervise swap sweep switch sync take tell terminate test throttle throw tokenize touch track transform translate traverse trim truncate try tune turn
   undo unescape unify unlink unlock unmark unpack unpin unquote unwrap update upsert use validate verify visit wait walk warn watch weigh withdraw wrap write yield`
    .split(/\s+/)
    .filter(Boolean),
);
