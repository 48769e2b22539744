import { Injectable } from '@nestjs/common';
import { AddressedResource, type UserScope } from '../../access/index.js';
import { InvitationAuditWriter } from './invitation-audit.writer.js';
import { InvitationNotFound, InvitationOfAnother } from './invitations.errors.js';
import { InvitationsRepository } from './invitations.repository.js';
import { InvitedPersonFinder } from './invited-person.finder.js';

const PARAMETER = 'invite_id';

/**
 * Allows only the invited person to accept or decline an invitation. Refused attempts of other accounts are audited.
 */
@Injectable()
export class InvitedTo {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly invited: InvitedPersonFinder,
    private readonly audits: InvitationAuditWriter,
  ) {}

  async admit(user: UserScope, id: string, act: 'accept' | 'decline'): Promise<void> {
    const invitation = await this.invitations.find(id);
    if (invitation === null) throw new InvitationNotFound();
    const { organizationId, role } = invitation;
    const audited = { act, actorUserId: user.userId, organizationId, invitationId: id, requestedRole: role };
    await this.audits.withRefusals(audited, async () => {
      if (!(await this.invited.isThis(user, invitation))) throw new InvitationOfAnother();
    });
  }
}

/** Allows only the invited person to read an invitation. Reads are not audited. */
@Injectable()
export class InvitedToRead extends AddressedResource {
  readonly parameter = PARAMETER;

  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly invited: InvitedPersonFinder,
  ) {
    super();
  }

  async admit(user: UserScope, id: string): Promise<void> {
    const invitation = await this.invitations.find(id);
    if (invitation === null) throw new InvitationNotFound();
    if (!(await this.invited.isThis(user, invitation))) throw new InvitationOfAnother();
  }
}

@Injectable()
export class InvitedToAccept extends AddressedResource {
  readonly parameter = PARAMETER;

  constructor(private readonly invited: InvitedTo) {
    super();
  }

  admit(user: UserScope, id: string): Promise<void> {
    return this.invited.admit(user, id, 'accept');
  }
}

@Injectable()
export class InvitedToDecline extends AddressedResource {
  readonly parameter = PARAMETER;

  constructor(private readonly invited: InvitedTo) {
    super();
  }

  admit(user: UserScope, id: string): Promise<void> {
    return this.invited.admit(user, id, 'decline');
  }
}
