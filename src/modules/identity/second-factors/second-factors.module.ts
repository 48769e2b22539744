import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { sealedColumns } from '../../../platform/sealed-columns/index.js';
import { ProofModule } from '../proof/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { AccountTransactions } from './account-transactions.js';
import { ChallengeOptionsService } from './challenges/challenge-options.service.js';
import { ChallengesController } from './challenges/challenges.controller.js';
import { ChallengesService } from './challenges/challenges.service.js';
import { FactorAnswerVerifier } from './challenges/factor-answer.verifier.js';
import { PassedChallengesService } from './challenges/passed-challenges.service.js';
import { OpenChallengesService } from './challenges/open-challenges.service.js';
import { SecondFactorFailures } from './challenges/second-factor-failures.entity.js';
import { SecondFactorFailuresRepository } from './challenges/second-factor-failures.repository.js';
import { SecondFactorLockService } from './challenges/second-factor-lock.service.js';
import { SignInChallenge } from './challenges/sign-in-challenge.entity.js';
import { SignInChallengesRepository } from './challenges/sign-in-challenges.repository.js';
import { SignInGateService } from './challenges/sign-in-gate.service.js';
import { ChangeProofService } from './change-proof.service.js';
import { SecondFactorsResetHandler } from './second-factors-reset.handler.js';
import { SecondFactorsRemovalService } from './second-factors-removal.service.js';
import { ElevatedSessionsService } from './elevated-sessions.service.js';
import { FactorInventoryReader } from './factor-inventory.reader.js';
import { FactorsReader } from './factors.reader.js';
import { PasskeyAssertionVerifier } from './passkeys/passkey-assertion.verifier.js';
import { PasskeyOptionsService } from './passkeys/passkey-options.service.js';
import { PasskeyRegistrationService } from './passkeys/passkey-registration.service.js';
import { Passkey } from './passkeys/passkey.entity.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { PasskeysRepository } from './passkeys/passkeys.repository.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { PasswordlessController } from './passkeys/passwordless.controller.js';
import { PasswordlessService } from './passkeys/passwordless.service.js';
import { RelyingPartyService } from './passkeys/relying-party.service.js';
import { WebAuthnChallenge } from './passkeys/webauthn-challenge.entity.js';
import { WebAuthnChallengesRepository } from './passkeys/webauthn-challenges.repository.js';
import { RecoveryCode } from './recovery-codes/recovery-code.entity.js';
import { RecoveryCodesService } from './recovery-codes/recovery-codes.service.js';
import { RecoveryCodesRepository } from './recovery-codes/recovery-codes.repository.js';
import { StepUpController } from './step-up/step-up.controller.js';
import { StepUpService } from './step-up/step-up.service.js';
import { AuthenticatorAppsService } from './totp/authenticator-apps.service.js';
import { TOTP_SECRET, TotpFactor } from './totp/totp-factor.entity.js';
import { TotpRepository } from './totp/totp.repository.js';
import { TwoFactorController } from './totp/two-factor.controller.js';
import { TwoFactorService } from './totp/two-factor.service.js';
import { TrustedDevice } from './trusted-devices/trusted-device.entity.js';
import { TrustedDevicesController } from './trusted-devices/trusted-devices.controller.js';
import { TrustedDevicesRepository } from './trusted-devices/trusted-devices.repository.js';
import { TrustedDevicesService } from './trusted-devices/trusted-devices.service.js';

const ENTITIES = [
  TotpFactor,
  RecoveryCode,
  Passkey,
  WebAuthnChallenge,
  SignInChallenge,
  SecondFactorFailures,
  TrustedDevice,
];

@Module({
  imports: [
    DiscoveryModule,
    ProofModule,
    SecurityEventsModule,
    SessionsModule,
    UsersModule,
    TypeOrmModule.forFeature(ENTITIES),
  ],
  controllers: [
    ChallengesController,
    PasswordlessController,
    PasskeysController,
    TwoFactorController,
    TrustedDevicesController,
    StepUpController,
  ],
  providers: [
    ...sealedColumns(TOTP_SECRET),
    AccountTransactions,
    AuthenticatorAppsService,
    ChallengeOptionsService,
    ChallengesService,
    ChangeProofService,
    ElevatedSessionsService,
    FactorAnswerVerifier,
    FactorInventoryReader,
    FactorsReader,
    OpenChallengesService,
    PassedChallengesService,
    PasskeyAssertionVerifier,
    PasskeyOptionsService,
    PasskeyRegistrationService,
    PasskeysRepository,
    PasskeysService,
    PasswordlessService,
    RecoveryCodesService,
    RecoveryCodesRepository,
    RelyingPartyService,
    SecondFactorFailuresRepository,
    SecondFactorLockService,
    SecondFactorsRemovalService,
    SecondFactorsResetHandler,
    SignInChallengesRepository,
    SignInGateService,
    StepUpService,
    TotpRepository,
    TrustedDevicesService,
    TrustedDevicesRepository,
    TwoFactorService,
    WebAuthnChallengesRepository,
  ],
  exports: [
    AccountTransactions,
    ChangeProofService,
    ElevatedSessionsService,
    FactorInventoryReader,
    SecondFactorsRemovalService,
    SignInGateService,
  ],
})
export class SecondFactorsModule {}
