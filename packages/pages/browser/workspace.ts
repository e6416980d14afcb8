// The server that all components ask, and what it tells of the caller, the people and the search language.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from './api.ts';
import type { Attributes } from './model.ts';
import { labelAttribute } from './search-labels.ts';
import { useLanguage, useTexts } from './texts.ts';

export interface Workspace {
  api: Api;
  permissions: readonly string[];
  /** Those that the caller may search by; around the conditions on one record, those that such a record has. */
  attributes: Attributes;
  /** How many people there were in all when the page was opened. */
  everybody: number;
}

export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

export const useWorkspace = (): Workspace => useContext(WorkspaceContext)!;

/** The name of a field by its path in the graph. */
export const useFieldLabel = (): ((path: string) => string) => {
  const [t, language] = [useTexts(), useLanguage()];
  const { attributes } = useWorkspace();
  return (path) => {
    const found = [...attributes.values()].find((one) => one.path === path);
    return found ? labelAttribute(found.name, found.description, language) : (t.otherFields[path] ?? path);
  };
};
