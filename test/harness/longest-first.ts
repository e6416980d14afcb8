// The order of a run: long files first, so that no worker is left with one at the end. Vitest knows how long they took where they ran before.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const durations: Record<string, number> = JSON.parse(readFileSync(join(import.meta.dirname, 'durations.json'), 'utf8'));

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      durations[relative(this.ctx.config.root, moduleId)] ?? 0;
    const places = new Map<string, number>();
    const sorted = await super.sort(files);
    // Files of one project stay together, as they share workers.
    for (const { project } of sorted) if (!places.has(project.name)) places.set(project.name, places.size);
    return sorted.sort(
      (a, b) => places.get(a.project.name)! - places.get(b.project.name)! || secondsOf(b) - secondsOf(a),
    );
  }
}
