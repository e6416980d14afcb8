// Random values: a small fast generator (sfc32) that can start at any point, and weighted picks.

const range = 2 ** 32;

export class Random {
  private a = 0;
  private b = 0;
  private c = 0;
  private d = 0;

  /** Starts the numbers of one part of one record, so that no record depends on earlier ones. */
  at(seed: number, space: number, part: number, index: number): this {
    this.a = Math.imul(seed | 0, 0x9e3779b1) ^ Math.floor(seed / range);
    this.b = Math.imul(space | 0, 0x85ebca6b) ^ Math.floor(space / range);
    this.c = Math.imul(part + 1, 0xc2b2ae35) ^ Math.floor(index / range);
    this.d = Math.imul(index | 0, 0x27d4eb2f);
    for (let round = 0; round < 15; round++) this.next();
    return this;
  }

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    const sum = (this.a + this.b + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  below(count: number): number {
    return Math.floor((this.next() * count) / range);
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability * range;
  }

  /** From 0 up to, not including, 1. */
  share(): number {
    return this.next() / range;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

/** Picks items by weight in constant time (the alias method). */
export class Picker<T> {
  private readonly items: readonly T[];
  private readonly own: Float64Array;
  private readonly other: Int32Array;

  constructor(items: readonly T[], weigh: (item: T, rank: number) => number) {
    const weights = items.map(weigh);
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
    this.items = items;
    this.own = Float64Array.from(weights, (weight) => weight / mean);
    this.other = new Int32Array(items.length);
    const poor: number[] = [];
    const rich: number[] = [];
    for (const [i, share] of this.own.entries()) (share < 1 ? poor : rich).push(i);
    while (poor.length > 0 && rich.length > 0) {
      const low = poor.pop() as number;
      const high = rich[rich.length - 1] as number;
      this.other[low] = high;
      this.own[high] = (this.own[high] as number) + (this.own[low] as number) - 1;
      if ((this.own[high] as number) < 1) poor.push(rich.pop() as number);
    }
    // The remaining weights differ from 1 only by rounding.
    for (const i of [...poor, ...rich]) this.own[i] = 1;
  }

  pick(random: Random): T {
    const i = random.below(this.items.length);
    return this.items[random.share() < (this.own[i] as number) ? i : (this.other[i] as number)] as T;
  }
}

/** Picks the first item most often, with weights that fall as 1/rank. A greater `flat` makes the first items less frequent. */
// Weights use division alone: Math.pow, exp and log may differ between engines in the last bit.
export const createZipfPicker = <T>(items: readonly T[], flat = 1): Picker<T> =>
  new Picker(items, (_, rank) => 1 / (rank + flat));

export const createWeightedPicker = <T>(...pairs: [T, number][]): Picker<T> => {
  const items = pairs.map(([item]) => item);
  return new Picker(items, (_, rank) => (pairs[rank] as [T, number])[1]);
};
