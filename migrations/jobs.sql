-- The queues of jobs (src/jobs/table.ts). Edit this file in place: it is applied again when its text has changed. A queue that is there keeps its table.
-- With the policy `short` one job of a key waits at most, beside those that run.

select pgboss.create_queue(q.name, json_build_object('policy', 'short', 'retryLimit', 3, 'retryDelay', 1, 'retryBackoff', true, 'expireInSeconds', 60, 'retentionMinutes', 60))
  from (values ('publish-changes'), ('deliver-webhook'), ('evaluate-segments')) q (name);
