import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProofModule } from '../proof/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { AccountActs } from './account-acts.js';
import { ChallengeOptionsService } from './challenges/challenge-options.service.js';
import { ChallengesController } from './challenges/challenges.controller.js';
import { ChallengesService } from './challenges/challenges.service.js';
import { FactorAnswers } from './challenges/factor-answers.js';
import { PassedChallenges } from './challenges/on-challenge-passed.js';
import { OpenChallenges } from './challenges/open-challenges.js';
import { SecondFactorFailures } from './challenges/second-factor-failures.entity.js';
import { SecondFactorFailuresRepository } from './challenges/second-factor-failures.repository.js';
import { SecondFactorLock } from './challenges/second-factor-lock.js';
import { SignInChallenge } from './challenges/sign-in-challenge.entity.js';
import { SignInChallengesRepository } from './challenges/sign-in-challenges.repository.js';
import { SignInGate } from './challenges/sign-in-gate.js';
import { ChangeProof } from './change-proof.js';
import { SecondFactorsOnReset } from './credentials-reset.js';
import { EarnedProofs } from './earned-proofs.js';
import { FactorInventory } from './factor-inventory.js';
import { FactorsReader } from './factors.reader.js';
import { PasskeyAssertions } from './passkeys/passkey-assertions.js';
import { PasskeyOptionsService } from './passkeys/passkey-options.service.js';
import { PasskeyRegistrationService } from './passkeys/passkey-registration.service.js';
import { Passkey } from './passkeys/passkey.entity.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { PasskeysRepository } from './passkeys/passkeys.repository.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { PasswordlessController } from './passkeys/passwordless.controller.js';
import { PasswordlessService } from './passkeys/passwordless.service.js';
import { RelyingParty } from './passkeys/relying-party.js';
import { WebAuthnChallenge } from './passkeys/webauthn-challenge.entity.js';
import { WebAuthnChallengesRepository } from './passkeys/webauthn-challenges.repository.js';
import { RecoveryCode } from './recovery-codes/recovery-code.entity.js';
import { RecoveryCodes } from './recovery-codes/recovery-codes.js';
import { RecoveryCodesRepository } from './recovery-codes/recovery-codes.repository.js';
import { StepUpController } from './step-up/step-up.controller.js';
import { StepUpService } from './step-up/step-up.service.js';
import { AuthenticatorApps } from './totp/authenticator-apps.js';
import { TotpFactor } from './totp/totp-factor.entity.js';
import { TotpRepository } from './totp/totp.repository.js';
import { TwoFactorController } from './totp/two-factor.controller.js';
import { TwoFactorService } from './totp/two-factor.service.js';
import { TrustedDevice } from './trusted-devices/trusted-device.entity.js';
import { TrustedDevicesController } from './trusted-devices/trusted-devices.controller.js';
import { TrustedDevicesRepository } from './trusted-devices/trusted-devices.repository.js';
import { TrustedDevices } from './trusted-devices/trusted-devices.js';

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
    AccountActs,
    AuthenticatorApps,
    ChallengeOptionsService,
    ChallengesService,
    ChangeProof,
    EarnedProofs,
    FactorAnswers,
    FactorInventory,
    FactorsReader,
    OpenChallenges,
    PassedChallenges,
    PasskeyAssertions,
    PasskeyOptionsService,
    PasskeyRegistrationService,
    PasskeysRepository,
    PasskeysService,
    PasswordlessService,
    RecoveryCodes,
    RecoveryCodesRepository,
    RelyingParty,
    SecondFactorFailuresRepository,
    SecondFactorLock,
    SecondFactorsOnReset,
    SignInChallengesRepository,
    SignInGate,
    StepUpService,
    TotpRepository,
    TrustedDevices,
    TrustedDevicesRepository,
    TwoFactorService,
    WebAuthnChallengesRepository,
  ],
  exports: [ChangeProof, EarnedProofs, FactorInventory, SignInGate],
})
export class SecondFactorsModule {}
