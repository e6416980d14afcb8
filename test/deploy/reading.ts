// Reads the files for operators, checks the settings in them, and runs the tools that read them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { type Config, readConfig, settingRows } from '../../src/config/config.ts';
import type { Json } from '../harness/app.ts';

export const readText = (path: string): string => readFileSync(path, 'utf8');
export const readYaml = (path: string): Json => parse(readText(path));
const manifest: Json = JSON.parse(readText('package.json'));
export const version: string = manifest.version;

/** The path of a tool, or undefined when it is not installed. */
export const findTool = (name: string): string | undefined => {
  try {
    return execFileSync('which', [name], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};

/** Runs a tool to its end. Throws with all that it says when it fails. */
export const runTool = (tool: string, args: string[]): string => {
  try {
    return execFileSync(tool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${tool} ${args.join(' ')}: ${stdout}${stderr}`);
  }
};

const settings = new Set(settingRows.map(({ name }) => name));

/** The settings of an environment: none is misspelt, and all can be used. */
export const expectSettings = (env: Record<string, string>): Config => {
  expect(Object.keys(env).filter((name) => !settings.has(name))).toEqual([]);
  return readConfig(env);
};
