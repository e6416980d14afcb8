-- Watched segments: their contacts, and how far their evaluation is.

-- The contacts of watched segments, as their last evaluation found them. There are no foreign keys: a segment of a million contacts is deleted at once, and its rows after that.
create table segment_members (
  group_id bigint not null,
  segment_id bigint not null,
  contact_id bigint not null,
  primary key (group_id, segment_id, contact_id)
);

-- How far the evaluation of a watched segment is.
create table segment_evaluations (
  group_id bigint not null,
  segment_id bigint not null,
  -- A digest of the queries that the members were found by: its own, and those of the segments that it uses. Null until all its contacts were found once.
  definition text,
  -- The place in the change feed up to which the members are right.
  epoch uuid,
  position bigint not null default 0,
  -- When all contacts were last looked at, and when they are next because time alone changes the members.
  evaluated_at timestamptz,
  due_at timestamptz,
  -- The process that evaluates it, and the time until which no other process does.
  lease uuid,
  leased_until timestamptz,
  primary key (group_id, segment_id)
);
