// Reports the settings of an environment: values without secrets, where they come from, and names that are misspelt.
import { settingRows } from './config.ts';
import { hidePasswords } from './setting-types.ts';

interface ReportedSetting {
  name: string;
  /** Null when it is not set and has no default. */
  value: string | null;
  source: 'environment' | 'default' | 'not set';
}

const hiddenText = '(hidden)';
const secretParameter = /pass|secret|token|key/i;

/** An address without its password, and without secrets in its query. */
export const redactUrl = (text: string): string => {
  if (!URL.canParse(text)) return hiddenText;
  const url = new URL(text);
  if (url.password) url.password = '***';
  for (const name of [...url.searchParams.keys()]) if (secretParameter.test(name)) url.searchParams.set(name, '***');
  return url.href;
};

const show = (text: string, how: (typeof settingRows)[number]['shown']): string =>
  how === 'plain' ? hidePasswords(text) : how === 'url' ? redactUrl(text) : hiddenText;

/** Every setting with its value, as far as it may be shown. */
export const reportSettings = (env: NodeJS.ProcessEnv): ReportedSetting[] =>
  settingRows.map(({ name, fallback, shown }) => {
    const text = env[name];
    if (text) return { name, value: show(text, shown), source: 'environment' };
    const usual = Array.isArray(fallback) ? fallback.join(',') : fallback;
    if (usual === undefined || usual === '') return { name, value: null, source: 'not set' };
    return { name, value: String(usual), source: 'default' };
  });

/** Whether one text becomes the other when one character is added, removed or replaced, or two neighbours change places. */
const isNearlyEqual = (a: string, b: string): boolean => {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (left.length <= 1 && right.length <= 1) || (left.length === 2 && left === `${right[1]}${right[0]}`);
};

/**
 * Names of the environment that look like a setting which is not set, with that setting: `DATABSE_URL`. Short names do not count, since they
 * resemble those of other programs.
 */
export const findMisspeltSettings = (env: NodeJS.ProcessEnv = process.env): [name: string, meant: string][] => {
  const known = settingRows.map(({ name }) => name);
  const unset = known.filter((name) => !env[name] && name.length >= 8);
  return Object.keys(env).flatMap((name) => {
    const meant = known.includes(name) ? undefined : unset.find((one) => isNearlyEqual(name.toUpperCase(), one));
    return meant ? [[name, meant] as [string, string]] : [];
  });
};
