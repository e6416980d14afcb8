// The files for operators: they parse, agree with each other and with the program, and the tools that read them accept them where they are installed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, settingRows } from '../../src/config.ts';
import { measureProcess, metricRows, readMetricsText } from '../../src/metrics.ts';
import { problems } from '../../src/problem.ts';
import type { Json } from '../harness/app.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const settings = new Set(settingRows.map(({ name }) => name));
const { version } = JSON.parse(read('package.json'));

/** The path of a tool, or undefined when it is not installed. */
const findTool = (name: string): string | undefined => {
  try {
    return execFileSync('which', [name], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};
/** Runs a tool to its end. Throws with all that it says when it fails. */
const run = (tool: string, args: string[]): string => {
  try {
    return execFileSync(tool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${tool} ${args.join(' ')}: ${stdout}${stderr}`);
  }
};

/** Settings of an environment that are read: none is misspelt, and all can be used. */
const expectSettings = (env: Record<string, string>): ReturnType<typeof readConfig> => {
  expect(Object.keys(env).filter((name) => !settings.has(name))).toEqual([]);
  return readConfig(env);
};

describe('the Dockerfile', () => {
  const file = DockerfileParser.parse(read('Dockerfile'));
  const instructions = file.getInstructions().map((one) => ({
    keyword: one.getKeyword(),
    args: one.getArguments().map((argument) => argument.getValue()),
    text: one.getArgumentsContent() ?? '',
  }));
  const of = (keyword: string) => instructions.filter((one) => one.keyword === keyword);
  const env = Object.fromEntries(
    file.getENVs().flatMap((one) => one.getProperties().map((property) => [property.getName(), property.getValue()!])),
  );

  it('has stages of one pinned Node that the program runs on', () => {
    const images = file.getFROMs().map((from) => from.getImage());
    expect(images).toHaveLength(3);
    expect(new Set(images).size).toBe(1);
    const [, major, minor] = /^node:(\d+)\.(\d+)\.\d+-bookworm-slim$/.exec(images[0]!)!.map(Number);
    expect(major! > 20 || (major === 20 && minor! >= 19)).toBe(true);
    expect(read('Dockerfile')).not.toMatch(/:latest|sudo|apt-get/);
  });

  it('copies only what is there and what .dockerignore lets through, and all that the build reads', () => {
    const copied = file
      .getCOPYs()
      .filter((one) => one.getFlags().length === 0)
      .flatMap((one) =>
        one
          .getArguments()
          .slice(0, -1)
          .map((argument) => argument.getValue()),
      );
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const path of copied) {
      expect(existsSync(path), path).toBe(true);
      expect(allowed).toContain(path.replace(/\/$/, ''));
    }
    const sources = /const sources = \[([^;]*)\];/.exec(read('build.js'))![1]!;
    for (const [, name] of sources.matchAll(/'([\w.-]+)'/g))
      expect(copied.map((path) => path.replace(/\/$/, ''))).toContain(name);
    expect(copied).toContain('migrations');
  });

  it('installs by the lockfile, runs as a numbered user without rights, and takes signals itself', () => {
    for (const { text } of of('RUN')) expect(text).toMatch(/^(npm ci --omit=dev( --omit=optional)?|node build\.js)$/);
    expect(of('USER').map(({ text }) => text)).toEqual(['1000:1000']);
    expect(JSON.parse(of('ENTRYPOINT')[0]!.text)).toEqual(['node', 'dist/main.js']);
    expect(JSON.parse(of('CMD')[0]!.text)).toEqual(['serve']);
    const config = expectSettings(env);
    expect(of('EXPOSE').map(({ text }) => text)).toEqual([String(config.PORT)]);
  });

  it('has a health check that follows /health/ready', async () => {
    const command = /CMD (\[.*\])/.exec(of('HEALTHCHECK')[0]!.text)![1]!;
    const [node, flag, script] = JSON.parse(command) as string[];
    expect([node, flag]).toEqual(['node', '-e']);
    const { createServer } = await import('node:http');
    const { execFile } = await import('node:child_process');
    let status = 200;
    const server = createServer(({ url }, response) =>
      response.writeHead(url === '/health/ready' ? status : 404).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const check = (at: number): Promise<number> =>
      new Promise((resolve) => {
        execFile(process.execPath, ['-e', script!], { env: { PORT: String(at) } }, (error) =>
          resolve(Number(error?.code ?? 0)),
        );
      });
    const well = await check(port);
    status = 503;
    expect([well, await check(port), await check(1)]).toEqual([0, 1, 1]);
    server.close();
  });
});

/** The places of a YAML document that an alias or an anchor does not hide. */
const readYaml = (path: string): Json => parse(read(path));

describe('compose.yaml', () => {
  const { services, volumes, networks } = readYaml('compose.yaml');
  const { muster, database } = services;

  it('starts Muster with settings that can be used, of the database beside it', () => {
    const filled = Object.fromEntries(
      Object.entries(muster.environment as Record<string, string>).map(([name, value]) => [
        name,
        value.replace(/\$\{\w+:\?[^}]*\}/, 'abc'),
      ]),
    );
    const config = expectSettings(filled);
    const url = new URL(config.DATABASE_URL!);
    expect(url.hostname).toBe('database');
    expect([url.username, url.pathname]).toEqual([
      database.environment.POSTGRES_USER,
      `/${database.environment.POSTGRES_DB}`,
    ]);
    expect(url.password).toBe('abc');
    expect(muster.ports).toEqual([`127.0.0.1:4000:${config.PORT}`]);
    expect(muster.image).toBe(`muster:${version}`);
    expect(Number.parseInt(muster.stop_grace_period, 10)).toBeGreaterThan(config.DRAIN_SECONDS + 2);
    expect(muster.depends_on.database.condition).toBe('service_healthy');
    // No password stands in the file, and a start without one ends with a sentence.
    expect(database.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(read('.gitignore')).toMatch(/^\.env$/m);
  });

  it('gives no service more rights than it needs', () => {
    for (const service of [muster, database]) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service).not.toHaveProperty('privileged');
      for (const network of service.networks) expect(networks).toHaveProperty(network);
    }
    expect(database).not.toHaveProperty('ports');
    expect(networks.inside.internal).toBe(true);
    expect(database.image).toMatch(/^postgres:18\.\d+-bookworm$/);
    // Since 18 the image keeps its data in a folder of the version below this one.
    expect(database.volumes).toEqual(['database:/var/lib/postgresql']);
    expect(volumes).toHaveProperty('database');
  });
});

describe('the unit of systemd', () => {
  const text = read('deploy/systemd/muster.service');
  const values = (name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);

  it('runs the program with settings that exist, and waits for its end', () => {
    expect(values('ExecStart')).toEqual(['/usr/bin/node /opt/muster/dist/main.js serve']);
    expectSettings(Object.fromEntries(values('Environment').map((one) => one.split('=') as [string, string])));
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThan(readConfig({}).DRAIN_SECONDS + 5 + 2);
    expect(values('StateDirectory')).toEqual(['muster']);
    expect(values('MemoryDenyWriteExecute')).toEqual([]);
  });

  const analyze = findTool('systemd-analyze');
  it.skipIf(!analyze)('is accepted by systemd-analyze, which finds little exposure', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-unit-'));
    const unit = join(folder, 'muster.service');
    writeFileSync(unit, text.replace('/usr/bin/node', process.execPath));
    expect(run(analyze!, ['verify', '--man=no', unit])).toBe('');
    // In tenths: 0 is none, 100 is all.
    run(analyze!, ['security', '--offline=true', '--threshold=20', '--no-pager', unit]);
    rmSync(folder, { recursive: true });
  });
});

describe('the example of Kubernetes', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes/muster.yaml')).map((one): Json => {
    expect(one.errors).toEqual([]);
    return one.toJS();
  });
  const find = (kind: string): Json => documents.find((one) => one.kind === kind);
  const pod = find('Deployment').spec.template.spec;
  const [container] = pod.containers;

  it('has settings that can be used, and ports that agree', () => {
    const config = expectSettings({ ...find('ConfigMap').data, ...find('Secret').stringData });
    expect(Object.fromEntries(container.ports.map(({ name, containerPort }: Json) => [name, containerPort]))).toEqual({
      http: config.PORT,
      metrics: config.METRICS_PORT,
    });
    expect(find('Deployment').spec.template.metadata.annotations['prometheus.io/port']).toBe(
      String(config.METRICS_PORT),
    );
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(config.DRAIN_SECONDS + 2);
    // Longer than the probes need to see that it is not ready.
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(config.DRAIN_DELAY).toBeGreaterThan(periodSeconds * failureThreshold - 1e-9);
    expect([container.readinessProbe.httpGet.path, container.livenessProbe.httpGet.path]).toEqual([
      '/health/ready',
      '/health/live',
    ]);
    const named = ['readinessProbe', 'livenessProbe', 'startupProbe'].map((name) => container[name].httpGet.port);
    expect([...named, find('Service').spec.ports[0].targetPort]).toEqual(['http', 'http', 'http', 'http']);
  });

  it('selects its own pods, and gives them no rights', () => {
    const { labels } = find('Deployment').spec.template.metadata;
    const selectors = [find('Deployment').spec.selector.matchLabels, find('Service').spec.selector];
    selectors.push(
      find('PodDisruptionBudget').spec.selector.matchLabels,
      find('NetworkPolicy').spec.podSelector.matchLabels,
    );
    for (const selector of selectors) expect(labels).toMatchObject(selector);
    const [, user] = /^USER (\d+):/m.exec(read('Dockerfile'))!;
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(user),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const one of [...pod.initContainers, container]) {
      expect(one.image).toBe(`muster:${version}`);
      expect(one.securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      });
    }
    expect(find('PodDisruptionBudget').spec.minAvailable).toBeLessThan(find('Deployment').spec.replicas);
    expect(documents.map(({ kind }) => kind).sort()).toEqual(
      ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'Service'].sort(),
    );
  });
});

describe('the dashboard and the alerts', () => {
  const dashboard = JSON.parse(read('deploy/grafana/muster.json'));
  const rules: Json[] = readYaml('deploy/prometheus/alerts.yml').groups.flatMap((group: Json) => group.rules);
  const panels: Json[] = dashboard.panels.filter(({ type }: Json) => type !== 'row');
  const expressions: string[] = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }: Json) => expr)),
    ...rules.map(({ expr }) => expr),
  ];

  it('ask only for metrics that exist, by labels and values that they have', async () => {
    measureProcess(version);
    const process = new Set([...(await readMetricsText()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const own = Object.values(metricRows);
    for (const expression of expressions)
      for (const [, name, matchers] of expression.matchAll(/\b((?:muster|process|nodejs)_\w+)\{([^}]*)\}/g)) {
        const row = own.find(
          (one) => name!.replace(one.type === 'histogram' ? /_(bucket|sum|count)$/ : /$^/, '') === one.name,
        );
        expect(row !== undefined || process.has(name!.replace(/_(bucket|sum|count)$/, '')), name).toBe(true);
        if (!row) continue;
        const labels = [...matchers!.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)];
        const known = new Set<string>([...row.labels, 'job', 'instance']);
        expect(labels.map(([, label]) => label).filter((label) => !known.has(label!))).toEqual([]);
        for (const [, label, , value] of labels) if (label === 'code') expect(problems).toHaveProperty([value!]);
      }
    // And each metric of ours is shown or watched somewhere.
    const all = expressions.join('\n');
    expect(own.filter(({ name }) => !all.includes(name)).map(({ name }) => name)).toEqual([]);
  });

  it('the panels stand beside each other, each with an id and its unit', () => {
    const ids = dashboard.panels.map(({ id }: Json) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const places = panels.map(({ gridPos: { x, y, w, h } }) => ({ x, y, right: x + w, bottom: y + h }));
    for (const [index, one] of places.entries()) {
      expect(one.right).toBeLessThanOrEqual(24);
      for (const other of places.slice(index + 1))
        expect(one.x < other.right && other.x < one.right && one.y < other.bottom && other.y < one.bottom).toBe(false);
    }
    expect(panels.filter(({ fieldConfig }) => !fieldConfig.defaults.unit)).toEqual([]);
  });

  it('each alert has a severity, a summary and a first step, and is tried', () => {
    const tried = readYaml('deploy/prometheus/alerts.test.yml').tests;
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(Object.keys(annotations)).toEqual(['summary', 'action']);
      expect(tried[0].alert_rule_test.map(({ alertname }: Json) => alertname)).toContain(alert);
      expect(JSON.stringify(tried[1].promql_expr_test)).toContain(`\\"${alert}\\"`);
    }
  });

  const promtool = findTool('promtool');
  it.skipIf(!promtool)('promtool accepts the configuration, and every alert fires on what it is for', () => {
    run(promtool!, ['check', 'config', 'deploy/prometheus/prometheus.yml']);
    run(promtool!, ['test', 'rules', 'deploy/prometheus/alerts.test.yml']);
  });

  it('Prometheus reads the port that the other files serve', () => {
    const { scrape_configs } = readYaml('deploy/prometheus/prometheus.yml');
    const port = readYaml('compose.yaml').services.muster.environment.METRICS_PORT;
    expect(scrape_configs[0]).toMatchObject({
      job_name: 'muster',
      static_configs: [{ targets: [`127.0.0.1:${port}`] }],
    });
  });
});
