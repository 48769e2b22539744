import { CommandFailure, Refusal } from '../failure.js';
import type { Api, Call } from '../http.js';
import type { Change, MemberChange } from './plan.js';
import { type Existing, type Kind, protectedHeadersOf, titleOf, type Wanted, withSecrets } from './things.js';

const PATHS: Readonly<Record<Kind, string>> = {
  destinations: '/v1/alert-destinations',
  channels: '/v1/delivery/channels',
  rules: '/v1/alert-rules',
  silences: '/v1/alerts/silences',
};

/**
 * Applies the changes of a plan one after another. Each change is one API request, so a new plan after an interrupted
 * run contains only the remaining changes.
 */
export class Applying {
  /** The ids of the destinations and channels, by kind and name. */
  private readonly ids: Map<string, string>;

  constructor(
    private readonly api: Api,
    private readonly projectId: string,
    existing: readonly Existing[],
    private readonly secretValue: (name: string) => string,
  ) {
    this.ids = new Map(existing.map(({ kind, name, id }) => [`${kind} ${name}`, id]));
  }

  /** @returns a note for the user when the change could not be made exactly as planned */
  async make(change: Change): Promise<string | undefined> {
    try {
      if (change.action === 'create') return await this.create(change.wanted);
      if (change.action === 'update') return await this.update(change.wanted, change.existing, change.members);
      return await this.delete(change.existing);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      const title = change.action === 'delete' ? '' : `${change.wanted.place}: `;
      const thing = titleOf(change.action === 'delete' ? change.existing : change.wanted);
      throw new CommandFailure(`${title}${thing}: ${error.message}`);
    }
  }

  private async create(wanted: Wanted): Promise<string | undefined> {
    const body = { project_id: this.projectId, ...this.bodyOf(wanted, Object.keys(wanted.members)) };
    const { id, signing_secret: secret } = await this.call<{ id: string; signing_secret?: string }>({
      method: 'POST',
      path: PATHS[wanted.kind],
      body: { ...body, [wanted.kind === 'silences' ? 'reason' : 'name']: wanted.name },
    });
    this.ids.set(`${wanted.kind} ${wanted.name}`, id);
    if (secret === undefined) return undefined;
    return `${titleOf(wanted)} signs its requests. Rotate its signing secret in the console or by the API to see it.`;
  }

  private async update(wanted: Wanted, { kind, id }: Existing, members: readonly MemberChange[]): Promise<undefined> {
    const headers = members.filter(({ member }) => member.startsWith('protected_headers.'));
    const nameOf = ({ member }: MemberChange): string => member.slice('protected_headers.'.length);
    for (const header of headers.filter(({ to }) => to === null)) {
      const path = `${PATHS.channels}/${id}/protected-headers/${encodeURIComponent(nameOf(header))}`;
      await this.call({ method: 'DELETE', path });
    }
    const plain = members.filter((each) => !headers.includes(each)).map(({ member }) => member);
    const names = plain.flatMap((member) => (member === 'recipients' ? ['destinations', 'channels'] : [member]));
    const sent = headers.filter(({ to }) => to !== null).map((each) => ({ name: nameOf(each), value: each.to }));
    const body = { ...this.bodyOf(wanted, names), ...(sent.length > 0 && { protected_headers: sent }) };
    if (Object.keys(body).length > 0) await this.call({ method: 'PATCH', path: `${PATHS[kind]}/${id}`, body });
  }

  private async delete(existing: Existing): Promise<string | undefined> {
    const path = `${PATHS[existing.kind]}/${existing.id}`;
    try {
      await this.call({ method: 'DELETE', path });
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 0;
      // The resource has already been deleted.
      if (status === 404) return undefined;
      if (status !== 409 || existing.kind !== 'channels') throw error;
      await this.call({ method: 'PATCH', path, body: { enabled: false } });
      return `${titleOf(existing)} is disabled, not deleted, since deliveries refer to it.`;
    }
    return undefined;
  }

  /** The API of channels requires the project in the query. The other APIs ignore it there. */
  private async call<T>(call: Call): Promise<T> {
    return this.api.call<T>({ ...call, query: { project_id: this.projectId } });
  }

  /** Returns the members as the API takes them: ids in the place of names, and the values of secrets. */
  private bodyOf(wanted: Wanted, names: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(names.map((name) => this.member(wanted, name)));
  }

  private member(wanted: Wanted, name: string): [string, unknown] {
    const value = wanted.members[name];
    if (wanted.kind === 'rules' && name === 'destinations')
      return ['destination_ids', this.idsOf('destinations', value)];
    if (wanted.kind === 'rules' && name === 'channels') return ['channel_ids', this.idsOf('channels', value)];
    // The service resolves the references of protected headers itself, each time when it sends.
    if (name === 'protected_headers') return [name, protectedHeadersOf(wanted)];
    // A plan names a member without a value only to remove it.
    if (!(name in wanted.members)) return [name, null];
    const isSecret = wanted.kind === 'destinations' && (name === 'secret' || name === 'target_url');
    return [name, isSecret ? withSecrets(String(value), this.secretValue) : value];
  }

  private idsOf(kind: Kind, names: unknown): (string | undefined)[] {
    return (names as readonly string[]).map((name) => this.ids.get(`${kind} ${name}`));
  }
}
