-- Texts of notes and interactions. An index over all rows also gives PostgreSQL statistics of the folded texts.
create index notes_content on notes using gin ((fold(content) collate "C") gin_trgm_ops);
create index interactions_title on interactions using gin ((fold(title) collate "C") gin_trgm_ops);
create index interactions_comments on interactions using gin ((fold(comments) collate "C") gin_trgm_ops);
-- When contacts were created.
create index contacts_created on contacts (group_id, created_at, id);

analyze notes, interactions;
