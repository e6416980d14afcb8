-- Who works on what (src/jobs/leases.ts). A holder has the work of a name and a key alone until its lease ends. A row without a holder is of work that failed, and waits until then.
-- Unlogged: work is found from the rows that have it, so a crash that empties this table loses nothing.
create unlogged table job_leases (
  name text not null,
  key text not null,
  holder uuid,
  until timestamptz not null,
  failures int not null default 0,
  primary key (name, key)
);
comment on table job_leases is 'Cluster: on the coordinator';

-- The queue of former versions: its jobs named such rows too. Its queues had a file that was applied again when it changed.
drop schema pgboss cascade;
delete from schema_migrations where name = 'jobs.sql';
