// SPDX-License-Identifier: GPL-3.0-or-later
declare const THIRD_PARTY_NOTICES: string;
