// The image, compose.yaml and the example of Kubernetes: they parse, agree with each other and with the program, and give no rights away.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { DockerfileParser } from 'dockerfile-ast';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../harness/app.ts';
import { nodePath } from './image.ts';
import { expectSettings, readText, readYaml, version } from './reading.ts';

describe('the Dockerfile', () => {
  const file = DockerfileParser.parse(readText('Dockerfile'));
  const instructions = file.getInstructions().map((one) => ({
    keyword: one.getKeyword(),
    args: one.getArguments().map((argument) => argument.getValue()),
    text: one.getArgumentsContent() ?? '',
  }));
  const of = (keyword: string) => instructions.filter((one) => one.keyword === keyword);
  const env = Object.fromEntries(
    file.getENVs().flatMap((one) => one.getProperties().map((property) => [property.getName(), property.getValue()!])),
  );

  it('builds on a pinned Node that the program runs on, and ends with nothing but what it copies from there', () => {
    const [base, last, ...more] = file.getFROMs().map((from) => from.getImage()!);
    expect([last, more]).toEqual(['scratch', []]);
    const [, major, minor] = /^node:(\d+)\.(\d+)\.\d+-bookworm-slim$/.exec(base!)!.map(Number);
    expect(major! > 20 || (major === 20 && minor! >= 19)).toBe(true);
    expect(readText('Dockerfile')).not.toMatch(/:latest|sudo|apt-get/);
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
    const allowed = readText('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const path of copied) {
      expect(existsSync(path), path).toBe(true);
      expect(allowed).toContain(path.replace(/\/$/, ''));
    }
    const sources = /const sources = \[([^;]*)\];/.exec(readText('build.js'))![1]!;
    for (const [, name] of sources.matchAll(/'([\w-][\w.-]*)'/g))
      expect(copied.map((path) => path.replace(/\/$/, ''))).toContain(name);
    expect(copied).toContain('migrations');
  });

  it('installs by the lockfile, runs as a numbered user without rights, and takes signals itself', () => {
    expect(of('RUN')[0]!.text).toBe('npm ci --omit=dev');
    expect(of('USER').map(({ text }) => text)).toEqual(['1000:1000']);
    expect(JSON.parse(of('ENTRYPOINT')[0]!.text)).toEqual([nodePath, '/app/dist/main.js']);
    expect(JSON.parse(of('CMD')[0]!.text)).toEqual(['serve']);
    const config = expectSettings(env);
    expect(of('EXPOSE').map(({ text }) => text)).toEqual([String(config.PORT)]);
  });

  it('has a health check that follows /health/ready', async () => {
    const command = /CMD (\[.*\])/.exec(of('HEALTHCHECK')[0]!.text)![1]!;
    const [node, flag, script] = JSON.parse(command) as string[];
    expect([node, flag]).toEqual([nodePath, '-e']);
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
    expect(readText('.gitignore')).toMatch(/^\.env$/m);
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

describe('the example of Kubernetes', () => {
  const documents = parseAllDocuments(readText('deploy/kubernetes/muster.yaml')).map((one): Json => {
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
    const [, user] = /^USER (\d+):/m.exec(readText('Dockerfile'))!;
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(user),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const one of [...pod.initContainers, container]) {
      expect(one.image).toBe(`muster:${version}`);
      expect(one.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    expect(find('PodDisruptionBudget').spec.minAvailable).toBeLessThan(find('Deployment').spec.replicas);
    expect(documents.map(({ kind }) => kind).sort()).toEqual(
      ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Secret', 'Service'].sort(),
    );
  });
});
