import type { Schemas } from '@operational-events/client';
import { api } from '../../../api/client.js';

export type Rule = Pick<
  Schemas['AlertRuleResponse'],
  'id' | 'name' | 'is_enabled' | 'destination_ids' | 'channel_ids' | 'notifies'
>;

interface Common {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly address: string;
  readonly isOn: boolean;
}

/** A destination or a channel. They differ in routes, roles and signatures. */
export type Endpoint = Common &
  (
    | { readonly of: 'destination'; readonly it: Schemas['DestinationResponse'] }
    | { readonly of: 'channel'; readonly it: Schemas['ChannelResponse'] }
  );

function ofDestination(it: Schemas['DestinationResponse']): Endpoint {
  const { id, name, target_url: address, is_enabled: isOn } = it;
  const isSlack = it.type === 'slack';
  return { of: 'destination', it, id, name, type: isSlack ? 'Slack' : 'Alert webhook', address, isOn };
}

function ofChannel(it: Schemas['ChannelResponse']): Endpoint {
  const { id, name, enabled: isOn } = it;
  const common = { of: 'channel', it, id, name, isOn } as const;
  if (it.type === 'email') return { ...common, type: 'E-mail', address: it.configuration.to.join(', ') };
  const { method = 'POST', url } = it.configuration;
  return { ...common, type: 'Webhook', address: `${method} ${url}` };
}

/** Returns all endpoints by name. Undefined until both lists are read. */
export function endpointsOf(
  destinations: readonly Schemas['DestinationResponse'][] | undefined,
  channels: readonly Schemas['ChannelResponse'][] | undefined,
): Endpoint[] | undefined {
  if (destinations === undefined || channels === undefined) return undefined;
  return [...destinations.map(ofDestination), ...channels.map(ofChannel)].sort((one, other) =>
    one.name.localeCompare(other.name),
  );
}

/** Mails and messages to Slack have no signature. */
export function isVerifiable({ it }: Endpoint): boolean {
  return it.type === 'webhook';
}

export function isSigned({ of, it }: Endpoint): boolean {
  return of === 'destination' ? it.has_secret : it.type === 'webhook' && it.has_signing_secret;
}

interface Uses {
  /** The rules that name the endpoint. */
  readonly named: readonly Rule[];
  /** The number of rules that notify it because they name no endpoint. */
  readonly unnamed: number;
}

export function usesOf({ of, id, it, isOn }: Endpoint, rules: readonly Rule[]): Uses {
  const named = rules.filter((rule) => (of === 'channel' ? rule.channel_ids : rule.destination_ids).includes(id));
  const isNotifiedByAll = of === 'destination' && it.type === 'webhook' && isOn;
  return { named, unnamed: isNotifiedByAll ? rules.filter(({ notifies }) => notifies === 'all_webhooks').length : 0 };
}

export async function switchEndpoint({ of, it }: Endpoint, isOn: boolean): Promise<unknown> {
  if (of === 'channel') {
    const { id: channel_id, project_id } = it;
    return api.updateDeliveryChannel({ path: { channel_id }, query: { project_id }, body: { enabled: isOn } });
  }
  const path = { destination_id: it.id };
  return isOn ? api.enableAlertDestination({ path }) : api.disableAlertDestination({ path });
}
