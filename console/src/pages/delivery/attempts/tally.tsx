import { Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { sentenceOf } from '../../../parts/failures.js';
import { whole } from '../../../parts/numbers.js';

/** The status of the new attempt, or why there is none. */
type Outcome = Schemas['DeliveryAttemptStatus'] | { readonly refusal: string };

/** The number of attempts that were sent again, by outcome. */
export interface Tally {
  readonly sent: number;
  readonly pending: number;
  readonly failed: number;
  readonly refused: readonly string[];
}

export const NO_TALLY: Tally = { sent: 0, pending: 0, failed: 0, refused: [] };

export function counted(tally: Tally, outcome: Outcome): Tally {
  return typeof outcome === 'string'
    ? { ...tally, [outcome]: tally[outcome] + 1 }
    : { ...tally, refused: [...tally.refused, outcome.refusal] };
}

/** Acts when the service allows it. A refusal does not end the work on the other attempts. */
export async function outcomeOf(
  readiness: () => Promise<Schemas['ReadinessResponse']>,
  act: () => Promise<Schemas['DeliveryAttemptStatus']>,
): Promise<Outcome> {
  try {
    // The endpoint may have been switched off meanwhile, or somebody else may have acted first.
    const decision = await readiness();
    return decision.allowed ? await act() : { refusal: reasonOf(decision) };
  } catch (error) {
    return { refusal: sentenceOf(error) };
  }
}

/** Reasons in the words of the console, which calls channels endpoints. */
const REASONS: Partial<Record<Schemas['RecoveryReasonCode'], string>> = {
  channel_missing: 'The endpoint does not exist any more',
  channel_disabled: 'The endpoint is switched off',
  unsupported_channel_type: 'The type of the endpoint is not supported',
  destination_configuration_invalid: 'The address of the endpoint is not valid',
};

export function reasonOf({ reason_code: code, reason }: Schemas['ReadinessResponse']): string {
  return (code === null ? undefined : REASONS[code]) ?? reason;
}

interface Props {
  readonly tally: Tally;
  readonly total: number;
  readonly isStopped?: boolean;
}

/** Shows the outcomes so far, and each reason of a refusal once. */
export function Tallied({ tally: { sent, pending, failed, refused }, total, isStopped = false }: Props) {
  const done = sent + pending + failed + refused.length;
  return (
    <>
      <Text fw={600} role="status" className="numbers">
        {isStopped && 'Stopped: '}
        {whole(done)} of {whole(total)} done: {whole(sent)} sent, {whole(pending)} on their way, {whole(failed)} failed
        again, {whole(refused.length)} refused
      </Text>
      {[...new Set(refused)].map((reason) => (
        <Text key={reason} size="sm" c="dimmed">
          {reason}
        </Text>
      ))}
    </>
  );
}
