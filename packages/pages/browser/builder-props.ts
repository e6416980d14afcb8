// The properties that every part of the builder gets: the surroundings of the segment, and how it is changed.
import type { Api } from './api.ts';
import type { Attributes, Part } from './model.ts';
import type { Results } from './use-results.ts';

/** The same for every group and condition. */
export interface BuilderProps {
  api: Api;
  permissions: readonly string[];
  attributes: Attributes;
  results: Results;
  /** How many people there are in all. */
  everybody: number;
  change(id: string, to: (part: Part) => Part): void;
  /** Adds a part to a group, or to a condition on records, and moves the focus there. */
  add(whole: string, part: Part): void;
  /** Removes a part, and moves the focus to its neighbour. */
  remove(id: string): void;
}
