import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Issue, ValidationError } from '../../../../platform/http/validation/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { ChannelNotFound, DuplicateProtectedHeader, ProtectedHeaderNotFound } from '../delivery.errors.js';
import { ruleIssue } from '../drivers/channel-configuration.js';
import { ChannelDriverRegistry } from '../drivers/channel-driver.registry.js';
import type { DeliveryChannel } from './channel.entity.js';
import { protectedHeaderResponse, type ProtectedHeaderRequest, type ProtectedHeaderResponse } from './channels.dto.js';
import { ChannelsRepository } from './channels.repository.js';
import { headerKey, MOST_HEADERS } from '../drivers/header-rules.js';
import { HeaderSecretsService } from './header-secrets.service.js';
import { HeaderVault } from './header-vault.js';
import type { ProtectedHeader } from './protected-header.entity.js';

const OWN_VALUE: Issue['loc'] = ['body', 'value'];

/** The secrets that a header value refers to. */
interface Named {
  readonly secretIds: readonly string[];
}

/**
 * Manages headers with credentials. Each change locks the row of the channel, so that changes run one after another.
 */
@Injectable()
export class ProtectedHeadersService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly drivers: ChannelDriverRegistry,
    private readonly vault: HeaderVault,
    private readonly secrets: HeaderSecretsService,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  async add(
    scope: ProjectMemberScope,
    channelId: string,
    request: ProtectedHeaderRequest,
  ): Promise<ProtectedHeaderResponse> {
    this.vault.assertAvailable();
    return this.act(scope, channelId, async (channel, headers, tx) => {
      if (find(headers, request.name) !== undefined) throw new DuplicateProtectedHeader();
      this.assertFit(channel, [...headers, request], ['body', 'name']);
      const [secretIds = []] = await this.secrets.admit(scope, [{ value: request.value, loc: OWN_VALUE }], tx);
      await this.insert(scope, channel, { ...request, secretIds }, tx);
      return this.answer(scope, channelId, request.name, tx);
    });
  }

  async rotate(
    scope: ProjectMemberScope,
    channelId: string,
    name: string,
    value: string,
  ): Promise<ProtectedHeaderResponse> {
    this.vault.assertAvailable();
    return this.act(scope, channelId, async (channel, headers, tx) => {
      const header = find(headers, name);
      if (header === undefined) throw new ProtectedHeaderNotFound();
      await this.secrets.assertMayChange(scope, [header.id], tx);
      const [secretIds = []] = await this.secrets.admit(scope, [{ value, loc: OWN_VALUE }], tx);
      await this.replace(scope, channel, header, { value, secretIds }, tx);
      return this.answer(scope, channelId, name, tx);
    });
  }

  /** Deletes a header. Works without encryption keys, so that headers can be deleted after their keys are lost. */
  async remove(scope: ProjectMemberScope, channelId: string, name: string): Promise<{ name: string }> {
    return this.act(scope, channelId, async (channel, headers, tx) => {
      const header = find(headers, name);
      if (header === undefined) throw new ProtectedHeaderNotFound();
      await this.channels.removeHeader(scope, header.id, tx);
      await this.record(scope, channel, 'delivery.protected_header_removed', header.name, tx);
      return { name: header.name };
    });
  }

  /** Adds headers with new names and rotates existing ones. The caller has locked the row of the channel. */
  async upsert(
    scope: ProjectMemberScope,
    channel: DeliveryChannel,
    requests: readonly ProtectedHeaderRequest[],
    tx: Db,
  ): Promise<void> {
    if (requests.length > 0) this.vault.assertAvailable();
    const headers = await this.channels.headers(scope, channel.id, tx);
    assertNoDuplicates(requests);
    const added = requests.filter(({ name }) => find(headers, name) === undefined);
    this.assertFit(channel, [...headers, ...added], ['body', 'protected_headers']);
    const wanted = requests.map(({ name, value }) => ({ name, value, header: find(headers, name) }));
    const changed = wanted.flatMap(({ header }) => header?.id ?? []);
    await this.secrets.assertMayChange(scope, changed, tx);
    const values = wanted.map(({ value }, at) => ({ value, loc: ['body', 'protected_headers', at, 'value'] }));
    const secretIds = await this.secrets.admit(scope, values, tx);
    for (const [at, { header, ...request }] of wanted.entries()) {
      const named = { ...request, secretIds: secretIds[at] ?? [] };
      if (header === undefined) await this.insert(scope, channel, named, tx);
      else await this.replace(scope, channel, header, named, tx);
    }
  }

  /**
   * Checks a caller who changes where these headers are sent.
   * @throws InsufficientProjectRole when one of them refers to a secret and the caller is no admin
   */
  async assertMayRedirect(scope: ProjectMemberScope, headers: readonly ProtectedHeader[], tx: Db): Promise<void> {
    await this.secrets.assertMayChange(
      scope,
      headers.map(({ id }) => id),
      tx,
    );
  }

  /**
   * @throws ValidationError when the type has no headers, when a public header has the same name, or when there are too
   * many
   */
  assertFit(
    { type, configuration }: Pick<DeliveryChannel, 'type' | 'configuration'>,
    headers: readonly { readonly name: string }[],
    loc: Issue['loc'],
  ): void {
    if (headers.length === 0) return;
    const refuse = (sentence: string, input: unknown): never => {
      throw new ValidationError([ruleIssue(loc, sentence, input)]);
    };
    const { headers: publicHeaders } = this.drivers.of(type);
    if (publicHeaders === null) {
      const types = this.drivers.withHeaders().join(' or ');
      return refuse(`protected headers exist only for channels of type ${types}`, null);
    }
    const open = new Set(publicHeaders.namesOf(configuration).map(headerKey));
    const clash = headers.find(({ name }) => open.has(headerKey(name)));
    if (clash !== undefined) return refuse('a header cannot be both public and protected', clash.name);
    const total = open.size + headers.length;
    if (total > MOST_HEADERS) return refuse(`a channel has at most ${MOST_HEADERS} headers`, total);
  }

  private async act<T>(
    scope: ProjectMemberScope,
    channelId: string,
    work: (channel: DeliveryChannel, headers: ProtectedHeader[], tx: Db) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const channel = await this.channels.lock(scope, channelId, tx);
      if (channel === null) throw new ChannelNotFound();
      const result = await work(channel, await this.channels.headers(scope, channelId, tx), tx);
      await this.channels.touch(scope, channelId, tx);
      return result;
    });
  }

  private async insert(
    scope: ProjectMemberScope,
    channel: DeliveryChannel,
    { name, value, secretIds }: ProtectedHeaderRequest & Named,
    tx: Db,
  ): Promise<void> {
    const id = newId();
    const nameKey = headerKey(name);
    const sealed = this.vault.seal(scope, id, value);
    await this.channels.insertHeader(
      scope,
      { id, channelId: channel.id, name, nameKey, ...sealed, lastRotatedBy: scope.userId },
      tx,
    );
    await this.secrets.record(scope, id, secretIds, tx);
    await this.record(scope, channel, 'delivery.protected_header_added', name, tx);
  }

  private async replace(
    scope: ProjectMemberScope,
    channel: DeliveryChannel,
    { id, name }: ProtectedHeader,
    { value, secretIds }: Pick<ProtectedHeaderRequest, 'value'> & Named,
    tx: Db,
  ): Promise<void> {
    await this.channels.rotateHeader(
      scope,
      { id, ...this.vault.seal(scope, id, value), lastRotatedBy: scope.userId },
      tx,
    );
    await this.secrets.record(scope, id, secretIds, tx);
    await this.record(scope, channel, 'delivery.protected_header_rotated', name, tx);
  }

  private async record(
    scope: ProjectMemberScope,
    channel: DeliveryChannel,
    action: string,
    name: string,
    tx: Db,
  ): Promise<void> {
    await this.audit.record(projectAct(scope, action, { name }, { type: 'delivery_channel', id: channel.id }), tx);
  }

  private async answer(
    scope: ProjectMemberScope,
    channelId: string,
    name: string,
    tx: Db,
  ): Promise<ProtectedHeaderResponse> {
    const header = find(await this.channels.headers(scope, channelId, tx), name);
    if (header === undefined) throw new ProtectedHeaderNotFound();
    return protectedHeaderResponse(header);
  }
}

/** @throws DuplicateProtectedHeader when a request has the same name twice, in any case */
export function assertNoDuplicates(requests: readonly ProtectedHeaderRequest[]): void {
  const names = new Set(requests.map(({ name }) => headerKey(name)));
  if (names.size < requests.length) throw new DuplicateProtectedHeader();
}

function find<T extends { readonly name: string }>(headers: readonly T[], name: string): T | undefined {
  return headers.find((header) => headerKey(header.name) === headerKey(name));
}
