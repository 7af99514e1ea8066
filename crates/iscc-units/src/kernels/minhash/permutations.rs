//! The 64 permutations of MinHash-256 (ISO 24138): `x -> (MULTIPLIER[i] * x + SUMMAND[i])`.

/// Factors of the 64 permutations, each below 2^61.
#[rustfmt::skip]
pub const MULTIPLIER: [u64; 64] = [
    0x0bd6_fc36_66cd_dccd, 0x19aa_265a_2968_61b9, 0x0fb4_9116_249f_240b, 0x1adf_c726_aa0e_5561,
    0x0c5c_e3a5_a06b_706b, 0x1b97_ae35_04f6_8d05, 0x138d_6618_323c_0103, 0x1db3_b398_a8a0_9af9,
    0x185b_745a_d0bf_cc4d, 0x12d1_2f23_cf0e_9aad, 0x0795_dd95_77a9_78b3, 0x06e7_d7fc_0f99_e34d,
    0x1bc3_f30e_608b_1f5d, 0x0ead_57b0_9061_51af, 0x15df_cd6a_b8a2_fefd, 0x1cd9_533f_55cc_8673,
    0x0e31_1071_20a5_4313, 0x1dd6_a07f_bce3_ea19, 0x09e2_be80_79df_df2f, 0x14fa_d772_28bf_5eaf,
    0x152c_ebf7_02e3_5f9d, 0x1189_d1c0_ba05_9a33, 0x10df_f879_fb1c_38af, 0x0830_58c4_0f70_e60b,
    0x01d0_c852_9780_4a39, 0x0d5c_4995_355d_a7b7, 0x17a0_b681_612e_861f, 0x041b_ddef_c764_7a75,
    0x06cd_9473_9c33_f043, 0x116b_d16f_547b_d8ff, 0x09b4_fa40_e220_9827, 0x0074_fdd0_7120_66b5,
    0x1b8c_7bf8_9b89_6469, 0x0506_2e67_5f96_b6db, 0x1a69_b5bd_bb8e_ed2b, 0x0c7e_d59c_d470_0c29,
    0x0799_012d_426d_7c6f, 0x1771_dc73_89d3_dacf, 0x0bbc_2779_4a83_1943, 0x058e_43cd_ca23_150d,
    0x026d_9ba8_744b_8015, 0x0c2a_0091_2496_855b, 0x0705_226d_8016_da9d, 0x1aa6_dfee_ea10_8247,
    0x11f0_4783_ff3d_1e6d, 0x0d5e_63ec_ea7c_cc9f, 0x1805_5238_01e5_3327, 0x03f3_27c5_4f7c_4bc5,
    0x1072_0f18_2270_3779, 0x1e13_c1b3_d549_1a6d, 0x10dc_35f2_7d79_d913, 0x1595_5e73_e37f_fb71,
    0x0e8b_4adc_c163_3f0b, 0x1130_750c_adb3_38d5, 0x10d7_3a2b_670c_fd6f, 0x03f9_2500_2144_e9df,
    0x115a_2a71_1021_9dc9, 0x05a7_dabd_33c9_c463, 0x0d55_b166_8de1_a12b, 0x17e8_426e_e18e_595f,
    0x1265_d8fa_9727_17bf, 0x02bb_d023_7525_76d7, 0x172a_ee66_66d1_54b3, 0x0ad7_dd83_733f_8a95,
];

/// Summands of the 64 permutations, each below 2^61.
#[rustfmt::skip]
pub const SUMMAND: [u64; 64] = [
    0x0f1f_0fc9_9887_ea6b, 0x0a16_b994_dc3e_2e31, 0x00eb_34b8_4804_bce1, 0x0ef7_4858_4001_dd8c,
    0x12a4_f6f4_1802_8b4b, 0x09b2_1d50_14ea_68a7, 0x1153_83e3_e873_be27, 0x1418_32af_19da_3c79,
    0x0e5b_a22c_9b8b_9597, 0x1474_bad6_b504_b08e, 0x0b04_0cc6_7987_e745, 0x0d9b_708e_8e83_c66f,
    0x0d60_9bbd_004e_3c77, 0x033e_1910_07d3_a85d, 0x0362_866a_7c0a_8dd3, 0x07ea_010b_ad22_7ece,
    0x0421_67e5_3cd0_7b2c, 0x150c_bece_2d2b_c69d, 0x14be_94be_7553_9629, 0x17fd_b8f1_0970_bd53,
    0x0e48_71b5_71e4_9530, 0x170c_1b60_91d9_2ea8, 0x136c_fb07_a463_0835, 0x0707_53a9_7f8d_2789,
    0x11c2_7ab1_7baf_8edd, 0x0bef_ad23_100a_6f74, 0x05b6_02f9_333e_9d8c, 0x00f7_0d86_a9d1_b347,
    0x1b35_0f05_8018_6b99, 0x0865_b809_757a_ca74, 0x0e1e_df3c_5eab_b21d, 0x121b_b418_ab60_509c,
    0x0d2b_92c2_a4ee_995b, 0x0fdb_f4f0_0758_271b, 0x0801_d841_df2f_5d40, 0x0edd_ec5e_885f_b480,
    0x14bd_a0b2_c901_d2eb, 0x0ee5_184f_15aa_c6aa, 0x11d8_730e_b869_9e99, 0x11b9_715b_4fb5_18d7,
    0x04c5_61c0_cf35_cca1, 0x1d27_f34e_80cc_26e3, 0x1109_b4e1_0817_4f4a, 0x0042_0e62_e60a_eef1,
    0x1d2b_647f_2464_f369, 0x02a9_709c_b76f_3ea8, 0x1e1d_d51c_3d76_0398, 0x0cbe_eba5_a7d6_9dfd,
    0x1969_1b22_e099_8389, 0x1b14_a499_0f3f_f12e, 0x0a54_7884_667f_fce3, 0x1aaa_9ab9_597b_6f22,
    0x1c09_11f4_404a_97d6, 0x187e_4a9d_0697_83c9, 0x1a6b_fcef_ede6_406c, 0x141d_3a7b_a317_ccca,
    0x13ed_1387_613e_aca9, 0x0b90_1cc1_caa7_32fd, 0x1f12_7e7d_fd00_15af, 0x0a64_d32f_76a7_35be,
    0x1975_c032_c417_f355, 0x0314_bf01_0854_0316, 0x0c81_d79a_e577_5341, 0x14d6_cb5e_18ae_5b4e,
];
