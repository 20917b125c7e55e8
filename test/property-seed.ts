/**
 * Property tests draw the same examples in every run, so that a red one is due to the change that was made.
 * `LOCKSTEP_SEED=7 npm test` draws others.
 */
import { configureGlobal } from "fast-check";

configureGlobal({ seed: Number(process.env["LOCKSTEP_SEED"] ?? 1) });
