import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { CryptographyUnavailableError, DecryptionError } from '../../../../platform/crypto/index.js';
import { failedTry, type TryOutcome } from '../../../delivery/sending/index.js';
import {
  type BodyTemplate,
  exampleValues,
  type ProjectOfTemplate,
  renderTemplate,
  secretNamesOf,
  TemplateSecretsService,
  templateValues,
  type TemplateValues,
  UnbuildableTemplate,
} from '../../../delivery/templates/index.js';
import type { StoredNotification } from '../drivers/alert-notification.js';
import { DestinationsRepository } from './destinations.repository.js';
import { DestinationDriverRegistry, type DestinationType } from '../drivers/destination-drivers.js';
import { DestinationVault, type SealedDestination } from './destination-vault.js';

interface NotificationToSend {
  readonly destination: SealedDestination & {
    readonly type: DestinationType;
    readonly template: BodyTemplate | null;
    readonly templateUrl: string | null;
  };
  readonly notification: StoredNotification;
  /** The same in all sends of a delivery. */
  readonly deliveryId: string;
  /** 1 for the first send. */
  readonly attempt: number;
  /** Null: the project is gone, or the notification is a test. */
  readonly project: ProjectOfTemplate | null;
}

/** Decrypts a destination and sends one notification with its driver, once. Failures of the receiver never reject. */
@Injectable()
export class AlertNotificationSender {
  constructor(
    private readonly vault: DestinationVault,
    private readonly drivers: DestinationDriverRegistry,
    private readonly destinations: DestinationsRepository,
    private readonly templates: TemplateSecretsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async send(message: NotificationToSend, deadlineMs: number): Promise<TryOutcome> {
    const { destination: sealed, notification, deliveryId } = message;
    const began = performance.now();
    try {
      const destination = this.vault.open(sealed);
      const driver = this.drivers.of(sealed.type);
      if (sealed.template === null) {
        return await driver.send({ destination, notification, deliveryId, rendered: null }, deadlineMs);
      }
      // No admin has approved sending secrets to this address: see `templateUrl` of the entity.
      if (secretNamesOf(sealed.template).length > 0 && sealed.templateUrl !== sealed.targetUrl) {
        return failedTry('refused', 'template_invalid');
      }
      const opened = await this.templates.open(sealed, sealed.template);
      if (opened.confidential.length > 0 && !(await this.isAtItsAddress(sealed))) {
        return failedTry('unavailable', 'destination_changed');
      }
      const rendered = renderTemplate(sealed.template, this.valuesOf(message), opened.parameters);
      const confidential = [...destination.confidential, ...opened.confidential];
      // Reading the secrets has used part of the time.
      const leftMs = deadlineMs - (performance.now() - began);
      if (leftMs <= 0) return failedTry('unavailable', 'lease_too_short');
      const filled = { destination: { ...destination, confidential }, notification, deliveryId, rendered };
      const [outcome] = await Promise.all([driver.send(filled, leftMs), opened.noteUse()]);
      return outcome;
    } catch (error) {
      if (error instanceof UnbuildableTemplate) return failedTry('refused', 'template_invalid');
      if (error instanceof CryptographyUnavailableError) return failedTry('unavailable', 'cryptography_unavailable');
      if (error instanceof DecryptionError) return failedTry('refused', 'credentials_unreadable');
      throw error;
    }
  }

  /**
   * Returns whether the destination still has the address that was read before the secrets. A secret may have been
   * replaced after a change of the address, and its new value must not reach the old address.
   */
  private async isAtItsAddress({ id, projectId, targetUrl }: SealedDestination): Promise<boolean> {
    const current = await this.destinations.find({ projectId }, id);
    return current !== null && current.targetUrl === targetUrl;
  }

  private valuesOf({ notification, deliveryId, attempt, project }: NotificationToSend): TemplateValues {
    const { publicAppUrl } = this.config.http;
    const { projectId, alertEventId, ruleName } = notification;
    if (alertEventId === null) return exampleValues({ projectId, deliveryId, attempt }, publicAppUrl);
    const { eventAt = null, eventMessage = null, groupValues = null } = notification;
    const event = { eventAt, eventMessage, group: groupValues };
    const delivery = { projectId, deliveryId, attempt, project };
    return templateValues(
      { ...notification, ...event, ...delivery, alertId: alertEventId, rule: ruleName },
      publicAppUrl,
    );
  }
}
