// What operators apply, by the schemas of those who read it: the JSON schema of Compose, and Kubernetes' OpenAPI as types, which forbid a name
// that they do not know.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { readText, readYaml, runTool } from './reading.ts';

const findPackage = (name: string): string => dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));

describe('compose.yaml', () => {
  const ajv = new Ajv({ allErrors: true, strict: false, formats: { ports: true, expose: true } });
  addFormats.default(ajv);
  const { $schema: _, ...schema } = JSON.parse(readText(join(findPackage('dclint'), 'schemas/compose.schema.json')));
  const validate = ajv.compile(schema);
  const findFaults = (file: Json): string[] => {
    validate(file);
    return (validate.errors ?? []).map(({ instancePath, message }: ErrorObject) => `${instancePath} ${message}`);
  };

  it('satisfies the schema of Compose', () => {
    expect(findFaults(readYaml('compose.yaml'))).toEqual([]);
  });

  it.each([
    ['a misspelt key', (file: Json) => (file.services.muster.read_onlly = true), '/services/muster '],
    ['a list for a text', (file: Json) => (file.services.database.image = ['postgres']), '/services/database/image '],
    ['a key of no section', (file: Json) => (file.service = {}), ' '],
  ])('would not with %s', (_name, change, place) => {
    const file = readYaml('compose.yaml');
    change(file);
    expect(findFaults(file).map((fault) => fault.startsWith(place))).toContain(true);
  });
});

describe('the example of Kubernetes', () => {
  const types = findPackage('kubernetes-types');
  const readObjects = (): Json[] =>
    parseAllDocuments(readText('deploy/kubernetes/muster.yaml')).map((one) => one.toJS());
  /** The faults that the compiler finds when each object is declared with the type of its kind. */
  const findFaults = (objects: Json[]): string => {
    const lines = objects.map(({ apiVersion, kind, ...rest }, at) => {
      const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
      const type = `import('${types}/${group.split('.')[0]}/${version}.d.ts').${kind}`;
      return `export const object${at}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })};`;
    });
    const file = join(createFolder(), 'objects.ts');
    writeFileSync(file, lines.join('\n'));
    try {
      return runTool('node_modules/.bin/tsc', ['--noEmit', '--strict', '--ignoreConfig', '--types', '', file]);
    } catch (error) {
      return String(error);
    }
  };

  it('has the types that Kubernetes publishes', () => {
    expect(findFaults(readObjects())).toBe('');
  });

  it.each([
    ['a misspelt key', (pod: Json) => (pod.containers[0].livenesProbe = {}), 'livenesProbe'],
    [
      'a text for a number',
      (pod: Json) => (pod.containers[0].ports[0].containerPort = '4000'),
      "'string' is not assignable to type 'number'",
    ],
    ['a container without a name', (pod: Json) => delete pod.initContainers[0].name, "'name' is missing"],
  ])('would not with %s', (_name, change, fault) => {
    const objects = readObjects();
    change(objects.find(({ kind }) => kind === 'Deployment').spec.template.spec);
    expect(findFaults(objects)).toContain(fault);
  });
});
