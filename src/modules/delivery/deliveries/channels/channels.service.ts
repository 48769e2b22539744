import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ValidationError } from '../../../../platform/http/validation/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { TemplateSecretsService } from '../../templates/index.js';
import { ChannelNotFound, TooManyChannels } from '../delivery.errors.js';
import { ruleIssue } from '../drivers/channel-configuration.js';
import { ChannelDriverRegistry } from '../drivers/channel-driver.registry.js';
import type { DeliveryChannel } from './channel.entity.js';
import {
  channelResponse,
  type ChannelResponse,
  type CreateChannelRequest,
  type UpdateChannelRequest,
} from './channels.dto.js';
import { ChannelsRepository } from './channels.repository.js';
import { assertNoDuplicates, ProtectedHeadersService } from './protected-headers.service.js';
import { SigningVault } from './signing-vault.js';

/** A project has at most this many channels. So one alert notifies no more, and the list of channels needs no pages. */
const MOST_CHANNELS = 100;
const TEMPLATE = ['body', 'configuration', 'template'];
/** How long the previous signing secret signs in addition to a new one. */
const ROTATION_SECONDS = 86_400;

/** Manages the channels of a project. Host names are resolved outside of transactions. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly headers: ProtectedHeadersService,
    private readonly drivers: ChannelDriverRegistry,
    private readonly signing: SigningVault,
    private readonly templates: TemplateSecretsService,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  async list(scope: ProjectScope): Promise<ChannelResponse[]> {
    const [channels, headers] = await Promise.all([this.channels.list(scope), this.channels.headers(scope)]);
    return channels.map((channel) =>
      channelResponse(
        channel,
        headers.filter(({ channelId }) => channelId === channel.id),
      ),
    );
  }

  async create(scope: ProjectMemberScope, request: CreateChannelRequest): Promise<ChannelResponse> {
    const { name, type, enabled, protected_headers: headers } = request;
    const read = this.drivers.read(type, request.configuration, { isNullLeftOut: true });
    this.headers.assertFit({ type, configuration: read }, headers, ['body', 'protected_headers']);
    const configuration = await this.drivers.of(type).admit(read, scope.projectId);
    assertNoDuplicates(headers);
    const id = newId();
    const signed = this.drivers.of(type).isSigned && this.signing.isAvailable ? this.signing.create(scope, id) : null;
    const signingSecret = signed?.sealed ?? null;
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.channels.countOf(scope, tx)) >= MOST_CHANNELS) throw new TooManyChannels();
      await this.templates.admit(scope, { after: configuration.template, loc: TEMPLATE }, tx);
      await this.channels.insert(scope, { id, name, type, enabled, configuration, signingSecret }, tx);
      await this.record(scope, id, 'delivery.channel_created', { name, type, enabled }, tx);
      const channel = await this.get(scope, id, tx);
      await this.headers.upsert(scope, channel, headers, tx);
      return channelResponse(channel, await this.channels.headers(scope, id, tx), signed?.secret);
    });
  }

  async update(scope: ProjectMemberScope, id: string, request: UpdateChannelRequest): Promise<ChannelResponse> {
    const { configuration: given, protected_headers: headers = [] } = request;
    // The type never changes, so the configuration can be read before the row is locked.
    const { type } = await this.get(scope, id);
    const isRotated = request.rotate_signing_secret === true;
    if (isRotated && !this.drivers.of(type).isSigned) {
      const sentence = `channels of type ${type} are not signed`;
      throw new ValidationError([ruleIssue(['body', 'rotate_signing_secret'], sentence, true)]);
    }
    const signed = isRotated ? this.signing.create(scope, id) : null;
    const read = given && this.drivers.read(type, given, { isNullLeftOut: false });
    if (read) this.headers.assertFit({ type, configuration: read }, headers, ['body', 'protected_headers']);
    const configuration = read && (await this.drivers.of(type).admit(read, scope.projectId));
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const before = await this.channels.lock(scope, id, tx);
      if (before === null) throw new ChannelNotFound();
      const after = {
        ...before,
        name: request.name ?? before.name,
        enabled: request.enabled ?? before.enabled,
        configuration: configuration ?? before.configuration,
      };
      if (configuration) {
        const kept = await this.channels.headers(scope, id, tx);
        this.headers.assertFit(after, kept, ['body', 'configuration', 'headers']);
        const { template: known } = before.configuration;
        const { template } = configuration;
        const isElsewhere = this.drivers.isElsewhere(type, before.configuration, configuration);
        if (isElsewhere || !isDeepStrictEqual(known, template)) {
          await this.templates.admit(scope, { before: known, after: template, loc: TEMPLATE }, tx);
        }
        if (isElsewhere) {
          await this.headers.assertMayRedirect(scope, kept, tx);
        }
      }
      await this.channels.update(scope, after, tx);
      if (signed) await this.channels.rotateSigningSecret(scope, id, signed.sealed, ROTATION_SECONDS, tx);
      const changes = {
        ...changesOf(before, after, given !== undefined),
        ...(signed && { signing_secret: before.signingSecret === null ? 'added' : 'rotated' }),
      };
      await this.record(scope, id, 'delivery.channel_updated', changes, tx);
      await this.headers.upsert(scope, after, headers, tx);
      const current = await this.channels.headers(scope, id, tx);
      return channelResponse(await this.get(scope, id, tx), current, signed?.secret);
    });
  }

  /** @throws ChannelHasEvidence while attempts refer to the channel; their foreign key undoes the whole transaction */
  async delete(scope: ProjectMemberScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const channel = await this.channels.lock(scope, id, tx);
      if (channel === null) throw new ChannelNotFound();
      const headers = await this.channels.headers(scope, id, tx);
      await this.channels.remove(scope, id, tx);
      const { name, type } = channel;
      const detail = { name, type, protected_headers: headers.map((header) => header.name) };
      await this.record(scope, id, 'delivery.channel_deleted', detail, tx);
    });
  }

  private async get(scope: ProjectScope, id: string, db?: Db): Promise<DeliveryChannel> {
    const channel = await this.channels.find(scope, id, db);
    if (channel === null) throw new ChannelNotFound();
    return channel;
  }

  private async record(
    scope: ProjectMemberScope,
    id: string,
    action: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record(projectAct(scope, action, detail, { type: 'delivery_channel', id }), tx);
  }
}

/** Returns the changes for the audit. A new configuration is not shown, because addresses may be private. */
function changesOf(
  before: DeliveryChannel,
  after: Pick<DeliveryChannel, 'name' | 'enabled'>,
  isReconfigured: boolean,
): Record<string, unknown> {
  return {
    ...(after.name !== before.name && { name: { from: before.name, to: after.name } }),
    ...(after.enabled !== before.enabled && { enabled: { from: before.enabled, to: after.enabled } }),
    ...(isReconfigured && { configuration: 'replaced' }),
  };
}
