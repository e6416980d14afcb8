-- The secrets of invitations: the person who has one joins the space without a token.
alter table invitations
  add column secret_hash bytea check (octet_length(secret_hash) = 32),
  -- The end of the secret. An invited user who has a token accepts the invitation without it, also later.
  add column expires_at timestamptz,
  add check ((secret_hash is null) = (expires_at is null));
-- A secret is looked up before its space is known. The index is not unique, since a unique one would have to name the space.
create index invitations_secret on invitations (secret_hash) where secret_hash is not null;
