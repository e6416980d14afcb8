-- Traversals: pages of one search that a token reads by number, one after the other. One row says where such a reader stands:
-- at which page, after which contact that page began, and after which it ended.

-- Unlogged: written for each page, and read for ten minutes. After a crash the next page is the page of that moment.
-- No index but the key, so that a traversal that goes on changes its row in place. The keys of places are what contacts are sorted by,
-- names and mails among them: the sweep deletes them. `search` is a digest of the words, never the words.
create unlogged table search_traversals (
  group_id bigint not null,
  token_id bigint not null,
  search bytea not null check (octet_length(search) = 32),
  traversal uuid not null default gen_random_uuid(),
  page integer not null check (page >= 0),
  -- Null where the page began at a count of contacts: the first page, and any that was not read in turn.
  began_part smallint,
  began_key text,
  began_id bigint,
  ended_part smallint not null,
  ended_key text,
  ended_id bigint not null,
  started_at timestamptz not null default now(),
  read_at timestamptz not null default now(),
  primary key (group_id, token_id, search, traversal)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
