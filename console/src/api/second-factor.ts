import { isRefusal } from '@operational-events/client';
import { api } from './client.js';

const listeners = new Set<() => void>();

/** Calls the listener when the service refuses a request because the person has no second factor yet. */
export function onSecondFactorMissing(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns whether a read was refused because the deployment requires a second factor that the person does not have. */
export function lacksSecondFactor(error: unknown): boolean {
  return isRefusal(error) && error.status === 403 && error.detail === 'Second factor required';
}

/** Reports a failed read. */
export function readFailed(error: unknown): void {
  if (lacksSecondFactor(error)) report();
}

/**
 * Reports a failed change. A change of an account with a second factor is refused in the same words when it needs a
 * proof, so the factors decide.
 */
export async function changeFailed(error: unknown): Promise<void> {
  if (!lacksSecondFactor(error)) return;
  const { enabled, passkey_count } = await api.getTwoFactor();
  if (!enabled && passkey_count === 0) report();
}

function report(): void {
  for (const listener of listeners) listener();
}
