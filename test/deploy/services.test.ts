// The unit of systemd, the dashboard and the alerts: they agree with the program, and the tools that read them accept them where they are installed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { problems } from '../../src/problem.ts';
import { measureProcess, metricRows, readMetricsText } from '../../src/telemetry/metrics.ts';
import type { Json } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { expectSettings, findTool, readText, readYaml, runTool, version } from './reading.ts';

describe('the unit of systemd', () => {
  const text = readText('deploy/systemd/muster.service');
  const values = (name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);

  it('runs the program with settings that exist, and waits for its end', () => {
    expect(values('ExecStart')).toEqual(['/usr/bin/node /opt/muster/dist/main.js serve']);
    expectSettings(Object.fromEntries(values('Environment').map((one) => one.split('=') as [string, string])));
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThan(readConfig({}).DRAIN_SECONDS + 5 + 2);
    expect(values('StateDirectory')).toEqual(['muster']);
    expect(values('MemoryDenyWriteExecute')).toEqual([]);
  });

  it('starts again as often as the database is not there yet', () => {
    expect([values('Restart'), values('StartLimitIntervalSec')]).toEqual([['on-failure'], ['0']]);
  });

  it('comes with a command that copies all that the program reads', () => {
    const [, copied = ''] = /^install -d .+ && cp -r (.+) \/opt\/muster\/$/m.exec(readText('docs/deploying.md')) ?? [];
    // The guide is in dist.
    const read = JSON.parse(readText('package.json')).files.filter((file: string) => file !== 'docs');
    expect(copied.split(' ').sort()).toEqual([...read, 'node_modules', 'package.json'].sort());
  });

  const analyze = findTool('systemd-analyze');
  it.skipIf(!analyze)('is accepted by systemd-analyze, which finds little exposure', () => {
    const folder = createFolder();
    const unit = join(folder, 'muster.service');
    writeFileSync(unit, text.replace('/usr/bin/node', process.execPath));
    expect(runTool(analyze!, ['verify', '--man=no', unit])).toBe('');
    // In tenths: 0 is none, 100 is all.
    runTool(analyze!, ['security', '--offline=true', '--threshold=20', '--no-pager', unit]);
  });
});

describe('the dashboard and the alerts', () => {
  const dashboard = JSON.parse(readText('deploy/grafana/muster.json'));
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
    runTool(promtool!, ['check', 'config', 'deploy/prometheus/prometheus.yml']);
    runTool(promtool!, ['test', 'rules', 'deploy/prometheus/alerts.test.yml']);
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
