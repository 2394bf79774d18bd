import type { CheckOutcome, LookupOutcome, PlaceOutcome } from '../supplier.ts';

/** What the sandbox plays, chosen by the last four characters of the player's id before any `#`. */
export type Scene =
  | 'delivers'
  | 'delivers_later'
  | 'rejects_later'
  | 'no_such_player'
  | 'lookup_down'
  | 'out_of_stock'
  | 'answer_lost'
  | 'second_route_delivers'
  | 'never_answers'
  | 'reverses'
  | 'refuses_connection_once'
  | 'answers_slowly';

const SCENES: Record<string, Scene> = {
  '0002': 'delivers_later',
  '0003': 'rejects_later',
  '0004': 'no_such_player',
  '0005': 'lookup_down',
  '0006': 'out_of_stock',
  '0007': 'answer_lost',
  '0008': 'second_route_delivers',
  '0009': 'never_answers',
  '0010': 'reverses',
  '0011': 'refuses_connection_once',
  '0012': 'answers_slowly',
};

export const LATER_MS = 3_000;
export const REVERSAL_MS = 5_000;
export const SLOW_ANSWER_MS = 10_000;

export function sceneOf(userId: string): Scene {
  const name = userId.split('#', 1)[0] ?? '';
  return SCENES[name.slice(-4)] ?? 'delivers';
}

export function playLookup(userId: string): LookupOutcome {
  const scene = sceneOf(userId);
  if (scene === 'no_such_player') return { kind: 'not_found' };
  if (scene === 'lookup_down') return { kind: 'unavailable', reason: 'the sandbox plays a lookup that is down' };
  return { kind: 'found', nickname: `Sandbox ${userId}` };
}

/** What a purchase that the sandbox took has become by now: the answer to the order, and later to every check. */
export function playTaken(scene: Scene, reference: string, takenForMs: number): Exclude<CheckOutcome, { kind: 'not_found' }> {
  const serialNumber = `SBX-${reference}`;
  switch (scene) {
    case 'delivers_later':
      return takenForMs < LATER_MS
        ? { kind: 'pending', lookAgainInMs: LATER_MS - takenForMs }
        : { kind: 'delivered', serialNumber };
    case 'rejects_later':
      return takenForMs < LATER_MS
        ? { kind: 'pending', lookAgainInMs: LATER_MS - takenForMs }
        : { kind: 'rejected', code: 'player_rejected', retryElsewhere: false, detail: 'the sandbox rejects this purchase' };
    case 'reverses':
      return takenForMs < REVERSAL_MS
        ? { kind: 'delivered', serialNumber, confirmInMs: REVERSAL_MS - takenForMs }
        : { kind: 'reversed', detail: 'the sandbox takes this delivery back' };
    default:
      return { kind: 'delivered', serialNumber };
  }
}

/** The scenes in which the sandbox says no at once and takes nothing; null where it takes the purchase. */
export function playRefusal(scene: Scene, isFirstRoute: boolean): PlaceOutcome | null {
  const outOfStock: PlaceOutcome = {
    kind: 'rejected',
    code: 'out_of_stock',
    retryElsewhere: true,
    // The player chooses the scene, so an earlier request meets the same no.
    recorded: true,
    detail: 'the sandbox is out of stock',
  };
  if (scene === 'out_of_stock') return outOfStock;
  return scene === 'second_route_delivers' && isFirstRoute ? outOfStock : null;
}
