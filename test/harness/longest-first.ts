// The order of a run: long files first, so that no worker is left with one at the end. Vitest knows how long they took where they ran before.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { secondsOf as secondsOfPath } from './durations.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      secondsOfPath(relative(this.ctx.config.root, moduleId));
    const sorted = await super.sort(files);
    // Files of one project stay together, as they share workers; the project with the longest file comes first.
    const longest = new Map<string, number>();
    for (const file of sorted) {
      const { name } = file.project;
      longest.set(name, Math.max(longest.get(name) ?? 0, secondsOf(file)));
    }
    const places = new Map(
      [...longest].sort(([, one], [, other]) => other - one).map(([name], place) => [name, place] as const),
    );
    return sorted.sort(
      (a, b) => places.get(a.project.name)! - places.get(b.project.name)! || secondsOf(b) - secondsOf(a),
    );
  }
}
