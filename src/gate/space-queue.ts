// The requests of one space that admission knows of: those that wait, and those in a slot.

/** The key of a queue: a space, or one key for all callers that are not known yet. */
export type QueueKey = number | 'unknown';

/** A request that waits for its turn. */
export interface Turn {
  hasLeft: (() => boolean) | undefined;
  admit(): void;
  refuse(): void;
}

interface WaitingTurn extends Turn {
  since: number;
}

export class SpaceQueue {
  readonly key: QueueKey;
  /** Requests without a slot. */
  readonly waiting: WaitingTurn[] = [];
  /** Requests that have passed the gate and wait to work. */
  readonly ready: Turn[] = [];
  /** Requests in a slot that do not work yet. */
  entering = 0;
  /** Whether more requests may enter, until the group is full. */
  isFilling = true;
  working = 0;
  /** Requests that freed their slot and are not over. */
  away = 0;

  constructor(key: QueueKey) {
    this.key = key;
  }

  /** A group that is full stays closed until no more than the part `from` of it is left. */
  updateGroup(size: number, from: number): void {
    if (this.entering <= size * from) this.isFilling = true;
    else if (this.entering >= size) this.isFilling = false;
  }
}

/** A request in a slot. */
export interface SlotState {
  queue: SpaceQueue;
  since: number;
  works: boolean;
}
