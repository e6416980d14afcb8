// Generates load with wrk, which needs a tenth of a core, where a load generator in Node needs one of the two.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Request } from './requests.ts';

/** Throws with advice when wrk is not installed. */
export const requireWrk = (): void => {
  if (spawnSync('wrk', ['--version']).error)
    throw new Error('wrk is not installed: it makes the load (apt-get install wrk, brew install wrk)');
};

export interface Loaded {
  requests: number;
  seconds: number;
  /** Answers with another status than 2xx or 3xx, and broken connections. */
  errors: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

const quoted = (text: string): string => `[=====[${text}]=====]`;

/** A wrk script that sends these requests in rotation, each with the next of the headers, and prints the results as JSON. */
export const writeScript = (file: string, requests: Request[], headers: Record<string, string>[]): void => {
  const formatted = requests.map(({ method, path, body }, place) => {
    const all = {
      ...headers[place % headers.length],
      Host: '127.0.0.1',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const list = Object.entries(all).map(([name, value]) => `["${name}"] = ${quoted(value)}`);
    const text = body === undefined ? 'nil' : quoted(JSON.stringify(body));
    return `requests[#requests + 1] = wrk.format('${method}', ${quoted(path)}, { ${list.join(', ')} }, ${text})`;
  });
  writeFileSync(
    file,
    `local requests = {}
init = function(args)
${formatted.join('\n')}
end
local next = 0
request = function()
  next = next % #requests + 1
  return requests[next]
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests":%d,"seconds":%f,"errors":%d,"p50":%f,"p99":%f}',
    summary.requests, summary.duration / 1e6, errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`,
  );
};

/** Milliseconds between rounds of so many seconds, so that the end of one does not count in the next. */
export const pauseFor = (seconds: number): number => Math.min(1000, seconds * 250);

/** Runs a script against a port for so many seconds, over persistent connections. */
export const runLoad = async (
  script: string,
  { port, connections, seconds }: { port: number; connections: number; seconds: number },
): Promise<Loaded> => {
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '30s',
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ];
  const { stdout } = await promisify(execFile)('wrk', args);
  const result = /RESULT (\{.*\})/.exec(stdout)?.[1];
  if (!result) throw new Error(`wrk said: ${stdout}`);
  return JSON.parse(result);
};
