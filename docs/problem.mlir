// MLA decode as DeepSeek-R1 needs it on one of eight GPUs: 16 heads, an fp8
// cache of single-row pages, Q brought to fp8 with a scale known beforehand.
func.func @decode(
    %q: tensor<?x16x576xbf16>, %cache: !mla.cache<f8E4M3FN, page_size = 1>,
    %qo_indptr: tensor<?xi32>, %kv_indptr: tensor<?xi32>,
    %kv_indices: tensor<?xi32>, %kv_last_page_len: tensor<?xi32>,
    %q_scale: tensor<1xf32>, %kv_scale: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %out, %lse = mla.decode %q, %cache queries(%qo_indptr)
      pages(%kv_indptr, %kv_indices, %kv_last_page_len)
      q_scale(%q_scale) kv_scale(%kv_scale)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<static>,
       shape = #mla.shape<batch = 64, kv = 8192, q_len = 1>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out, %lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}
