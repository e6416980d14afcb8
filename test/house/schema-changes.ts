// Compares the graph with that of the last release: a change that breaks clients must be named in the changelog.
import { type Change, ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

/** A change that breaks clients, with the element that it is about, such as `Query.contacts.first`. */
interface BreakingChange {
  path: string;
  message: string;
}

/** For clients without the role, a field that begins to demand one is gone. The inspector calls that dangerous, not breaking. */
const demandsOtherRole = ({ type, path, criticality: { level } }: Change): boolean =>
  level === CriticalityLevel.Dangerous &&
  path?.includes('.@requiresRole') === true &&
  // The argument of another role replaces that of the old one.
  (type.endsWith('_ADDED') || type === ChangeType.DirectiveUsageArgumentRemoved);

/** The changes from one SDL to another that break clients. */
export const findBreakingChanges = async (released: string, current: string): Promise<BreakingChange[]> => {
  const changes = await diff(buildSchema(released), buildSchema(current));
  return changes
    .filter((change) => change.criticality.level === CriticalityLevel.Breaking || demandsOtherRole(change))
    .map(({ path = '', message }) => ({ path: path.replace(/\.?@.*$/, '') || path, message }));
};

interface Part {
  version: string;
  isReleased: boolean;
  text: string;
}

/** The parts of a changelog, the newest first. */
const readParts = (changelog: string): Part[] =>
  changelog
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [heading = ''] = text.split('\n', 1);
      return { version: heading.split(' ')[0]!, isReleased: !heading.includes('(unreleased)'), text };
    });

/** The elements that the unreleased part declares as broken: the names in backticks of its items that begin with "Breaking:". */
const readDeclared = (parts: readonly Part[]): Set<string> => {
  const items = parts.filter(({ isReleased }) => !isReleased).flatMap(({ text }) => text.split(/^- /m).slice(1));
  const breaking = items.filter((item) => item.startsWith('Breaking:'));
  return new Set(breaking.flatMap((item) => [...item.matchAll(/`([^`\s]+)`/g)].map(([, name]) => name!)));
};

export const releasedPath = 'schema/released.graphql';
/** The first line of the SDL of a release. */
export const formatReleaseHead = (version: string): string => `# The graph of release ${version}.`;

interface Graphs {
  changelog: string;
  /** The SDL of the last release; undefined before the first one. */
  released: string | undefined;
  current: string;
}

/** What is wrong with the changes since the last release, in sentences. */
export const findReleaseFaults = async ({ changelog, released, current }: Graphs): Promise<string[]> => {
  const parts = readParts(changelog);
  const last = parts.find(({ isReleased }) => isReleased)?.version;
  const found = released?.split('\n', 1)[0];
  const wanted = last && formatReleaseHead(last);
  if (found !== wanted)
    return [
      `${releasedPath} begins with "${found ?? ''}", and the last release of CHANGELOG.md is ${last ?? 'none'}: run \`npm run release:schema\` when a version is released, and not before`,
    ];
  if (!released) return [];
  const declared = readDeclared(parts);
  const changes = await findBreakingChanges(released, current);
  return changes
    .filter(({ path }) => !declared.has(path))
    .map(
      ({ path, message }) =>
        `${message}. This breaks clients: the unreleased part of CHANGELOG.md needs an item that begins with "Breaking:" and names \`${path}\``,
    );
};
