-- Signing in by OpenID Connect: whom a provider means by a subject, and sessions of its tokens.
alter table users
  -- The person at a provider. Once it is known, it alone decides: a mail can pass to somebody else.
  add column oidc_issuer text check (btrim(oidc_issuer) <> ''),
  add column oidc_subject text check (btrim(oidc_subject) <> ''),
  add constraint users_oidc_both check ((oidc_issuer is null) = (oidc_subject is null));
create unique index users_oidc on users (oidc_issuer, oidc_subject) where deleted_at is null;

-- Set for a session: all tokens of one person of this provider for this space and scope are this row. Null for a token of our own.
alter table tokens add column issuer text check (btrim(issuer) <> '');
