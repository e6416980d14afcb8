-- What a token may do, and what a custom role may do.
alter table tokens
  -- What the token is for, in the words of who made it.
  add column label text check (btrim(label) <> ''),
  add column scope text not null default 'admin' check (scope in ('read', 'write', 'admin'));

-- The groups of operations that a custom role may use; without any it reads contacts alone. The type of any other role says what it may do.
alter table roles add column permissions text[] check (type = 'custom' or permissions is null);
