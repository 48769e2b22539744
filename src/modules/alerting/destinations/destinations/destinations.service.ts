import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { brokenRule, ValidationError } from '../../../../platform/http/validation/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { type BodyTemplate, templateFaults, TemplateSecretsService } from '../../../delivery/templates/index.js';
import { DestinationNotFound, TooManyDestinations } from '../destinations.errors.js';
import { DeliveriesRepository } from '../outbox/deliveries.repository.js';
import { DestinationVault } from './destination-vault.js';
import type { AlertDestination } from './destination.entity.js';
import {
  type CreateDestinationRequest,
  destinationResponse,
  type DestinationResponse,
  type UpdateDestinationRequest,
} from './destinations.dto.js';
import { DestinationsRepository } from './destinations.repository.js';
import { TargetAddressValidator } from './target-address.validator.js';

const TEMPLATE = ['body', 'template'];
/** How long the previous secret signs in addition to a new one. */
const ROTATION_SECONDS = 86_400;

/** At most this many deliveries fail at once when a destination is disabled. Further ones fail when they are due. */
const MOST_ABANDONED = 5_000;

/** A project has at most this many destinations. So one alert notifies no more, and their list needs no pages. */
const MOST_DESTINATIONS = 100;

/** Manages the destinations of a project. Host names are resolved outside of transactions. */
@Injectable()
export class DestinationsService {
  constructor(
    private readonly database: Database,
    private readonly destinations: DestinationsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly addresses: TargetAddressValidator,
    private readonly vault: DestinationVault,
    private readonly templates: TemplateSecretsService,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  async list(scope: ProjectMemberScope): Promise<DestinationResponse[]> {
    return (await this.destinations.list(scope)).map((each) => destinationResponse(scope, each));
  }

  async create(scope: ProjectMemberScope, request: CreateDestinationRequest): Promise<DestinationResponse> {
    const { type, name, is_enabled: isEnabled } = request;
    const template = readTemplate(type, request.template ?? null);
    const id = newId();
    const url = await this.addresses.admit(request.target_url, scope.projectId);
    const address = this.vault.sealAddress(scope, { id, type }, url);
    const secret = request.secret ? this.vault.seal(scope, id, 'secret', request.secret) : null;
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      if ((await this.destinations.countOf(scope, tx)) >= MOST_DESTINATIONS) throw new TooManyDestinations();
      await this.templates.admit(scope, { after: template, loc: TEMPLATE }, tx);
      const templateUrl = template === null ? null : address.targetUrl;
      await this.destinations.insert(
        scope,
        { id, type, name, ...address, secret, isEnabled, template, templateUrl },
        tx,
      );
      await this.record(scope, 'created', id, { name, type, is_enabled: isEnabled, has_secret: secret !== null }, tx);
      return destinationResponse(scope, await this.get(scope, id, tx));
    });
  }

  async update(scope: ProjectMemberScope, id: string, request: UpdateDestinationRequest): Promise<DestinationResponse> {
    const { type, targetUrl: shown, sealedUrl: sealed } = await this.get(scope, id);
    if (request.type !== undefined && request.type !== type) {
      throw brokenRule(['body', 'type'], 'the type of a destination cannot be changed', request.type);
    }
    const wanted = request.template === undefined ? undefined : readTemplate(type, request.template);
    // A request that repeats the mask of a secret address keeps the address.
    const target = sealed !== null && request.target_url === shown ? undefined : request.target_url;
    const url = target === undefined ? null : await this.addresses.admit(target, scope.projectId);
    const address = url === null ? {} : this.vault.sealAddress(scope, { id, type }, url);
    const secret = request.secret ? this.vault.seal(scope, id, 'secret', request.secret) : request.secret;
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const before = await this.destinations.lock(scope, id, tx);
      if (before === null) throw new DestinationNotFound();
      const { name = before.name, is_enabled: isEnabled = before.isEnabled } = request;
      const template = wanted === undefined ? before.template : wanted;
      const after = { ...before, name, isEnabled, template, ...address };
      const isNewTemplate = !isDeepStrictEqual(before.template, template);
      // An older version of the service may have changed the address without a check of the template. A request with a
      // template or an address confirms the combination of both.
      const isConfirmed = (wanted !== undefined || url !== null) && before.templateUrl !== before.targetUrl;
      if (isNewTemplate || isConfirmed || after.targetUrl !== before.targetUrl) {
        await this.templates.admit(scope, { before: before.template, after: template, loc: TEMPLATE }, tx);
        after.templateUrl = template === null ? null : after.targetUrl;
      }
      await this.change(scope, before, after, tx);
      const isNewSecret = secret !== undefined && !(request.secret && this.vault.isSecret(before, request.secret));
      if (isNewSecret) await this.destinations.rotateSecret(scope, id, secret, ROTATION_SECONDS, tx);
      const detail = changesOf(before, after, {
        address: url !== null,
        secret: isNewSecret ? secret : undefined,
        template: isNewTemplate ? template : undefined,
      });
      await this.record(scope, 'updated', id, detail, tx);
      return destinationResponse(scope, await this.get(scope, id, tx));
    });
  }

  /** Enables or disables a destination. Nothing is recorded when the destination is in this state already. */
  async setEnabled(scope: ProjectMemberScope, id: string, isEnabled: boolean): Promise<DestinationResponse> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const before = await this.destinations.lock(scope, id, tx);
      if (before === null) throw new DestinationNotFound();
      if (before.isEnabled !== isEnabled) {
        await this.change(scope, before, { ...before, isEnabled }, tx);
        await this.record(scope, isEnabled ? 'enabled' : 'disabled', id, { name: before.name }, tx);
      }
      return destinationResponse(scope, await this.get(scope, id, tx));
    });
  }

  /** Deletes the row with address and secrets. Deliveries stay as evidence, and unsent ones end as failed. */
  async delete(scope: ProjectMemberScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const { name, type } = await this.get(scope, id, tx);
      // The row is deleted first, which waits for transactions that are inserting deliveries: they hold a share lock on
      // the row.
      await this.destinations.remove(scope, id, tx);
      const unsent = await this.deliveries.abandon(scope, id, 'destination_deleted', null, tx);
      await this.record(scope, 'deleted', id, { name, type, unsent_deliveries: unsent }, tx);
    });
  }

  /** Updates a destination. If it becomes disabled, its waiting deliveries fail in the same transaction. */
  private async change(scope: ProjectScope, before: AlertDestination, after: AlertDestination, tx: Db): Promise<void> {
    await this.destinations.update(scope, after, tx);
    if (!before.isEnabled || after.isEnabled) return;
    await this.deliveries.abandon(scope, before.id, 'destination_disabled', MOST_ABANDONED, tx);
  }

  private async get(scope: ProjectScope, id: string, db?: Db): Promise<AlertDestination> {
    const destination = await this.destinations.find(scope, id, db);
    if (destination === null) throw new DestinationNotFound();
    return destination;
  }

  private async record(
    scope: ProjectMemberScope,
    act: string,
    id: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    const target = { type: 'alert_destination', id };
    await this.audit.record(projectAct(scope, `alert_destination.${act}`, detail, target), tx);
  }
}

/** @throws ValidationError for a template that is not valid, or when the type has no templates */
function readTemplate(type: string, template: Record<string, unknown> | null): BodyTemplate | null {
  if (template === null) return null;
  if (type !== 'webhook') throw brokenRule(TEMPLATE, 'only webhooks have a template', '[redacted]');
  const faults = templateFaults(template, TEMPLATE);
  if (faults.length > 0) throw new ValidationError(faults);
  return template;
}

/** Returns the changes for the audit. New addresses and secrets are not shown. */
function changesOf(
  before: Pick<AlertDestination, 'name' | 'isEnabled'>,
  after: Pick<AlertDestination, 'name' | 'isEnabled'>,
  {
    address,
    secret,
    template,
  }: {
    readonly address: boolean;
    readonly secret: string | null | undefined;
    readonly template: BodyTemplate | null | undefined;
  },
): Record<string, unknown> {
  return {
    ...(after.name !== before.name && { name: { from: before.name, to: after.name } }),
    ...(after.isEnabled !== before.isEnabled && { is_enabled: { from: before.isEnabled, to: after.isEnabled } }),
    ...(address && { target_url: 'replaced' }),
    ...(template !== undefined && { template: template === null ? 'removed' : 'replaced' }),
    ...(secret !== undefined && { secret: secret === null ? 'removed' : 'replaced' }),
  };
}
